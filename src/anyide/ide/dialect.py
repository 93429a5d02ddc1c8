"""How the same tool answers in the VS Code, the JetBrains and the Obsidian documents.

`VSCODE` is what the CLI expects today and the default. Every tool can be called in every dialect;
only the words of some answers differ, and they differ here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from anyide.editor.model import Severity


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """The words and habits of one family of IDEs."""

    name: str
    opened_file: str = "Opened file: {path}"
    cannot_open: str = ""
    """What to say when a file cannot be opened; empty: the editor's own sentence."""
    tab_closed: str = "TAB_CLOSED"
    tab_not_found: str = "TAB_CLOSED"
    rejection_names_tab: bool = True
    details_when_behind: bool = True
    """Whether `openFile` with `makeFrontmost: false` answers with facts about the document."""
    severities: Mapping[Severity, str]
    diagnoses_current_file: bool = False
    """Whether `getDiagnostics` without a uri means the current file; else every file."""
    drops_silent_at_once: bool = False
    """Whether a session is dropped at the first ping that is not answered."""
    plain_results: bool = False
    """Whether a tool called as a plain method answers with the bare value, not with blocks."""


_WORDS = {
    Severity.ERROR: "Error",
    Severity.WARNING: "Warning",
    Severity.INFO: "Info",
    Severity.HINT: "Hint",
}

VSCODE = Dialect(name="vscode", severities=_WORDS)

JETBRAINS = Dialect(
    name="jetbrains",
    opened_file="OK",
    cannot_open="Project is closed or directory not found",
    tab_closed="OK",
    tab_not_found="Tab not found",
    rejection_names_tab=False,
    details_when_behind=False,
    severities={
        Severity.ERROR: "ERROR",
        Severity.WARNING: "WARNING",
        Severity.INFO: "WEAK_WARNING",
        Severity.HINT: "INFO",
    },
    diagnoses_current_file=True,
    drops_silent_at_once=True,
)

OBSIDIAN = Dialect(name="obsidian", severities=_WORDS, plain_results=True)

DIALECTS: Mapping[str, Dialect] = {
    dialect.name: dialect for dialect in (VSCODE, JETBRAINS, OBSIDIAN)
}
