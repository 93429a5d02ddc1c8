"""What an editor and the protocol tell each other: plain frozen data, no behaviour.

Positions are 0-based, `character` counts UTF-16 code units, the end of a range is exclusive. Paths
are absolute; an untitled document has a name such as `untitled:Untitled-1` instead.
"""

from __future__ import annotations

import enum

import msgspec


class Position(msgspec.Struct, frozen=True, order=True):
    """A place between two characters of a text."""

    line: int
    character: int


class Range(msgspec.Struct, frozen=True):
    """From `start` up to, not including, `end`."""

    start: Position
    end: Position

    @property
    def is_empty(self) -> bool:
        """Whether nothing lies between start and end: a bare cursor."""
        return self.start == self.end


class Selection(msgspec.Struct, frozen=True):
    """What is selected in a document; empty text and an empty range for a bare cursor."""

    path: str
    text: str
    range: Range

    @property
    def is_empty(self) -> bool:
        """Whether it is a bare cursor."""
        return self.range.is_empty


class Severity(enum.Enum):
    """How bad a diagnostic is; the wire words differ by dialect."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    HINT = "hint"


class Diagnostic(msgspec.Struct, frozen=True):
    """One finding about a place in a file."""

    message: str
    severity: Severity
    range: Range
    source: str = ""
    code: str = ""


class FileDiagnostics(msgspec.Struct, frozen=True):
    """All that is known to be wrong with one file; no diagnostics means nothing is."""

    path: str
    diagnostics: tuple[Diagnostic, ...]


class Tab(msgspec.Struct, frozen=True):
    """One open document as the row of tabs shows it."""

    path: str
    label: str
    language_id: str
    is_active: bool
    is_dirty: bool
    is_preview: bool = False
    is_untitled: bool = False


class Document(msgspec.Struct, frozen=True):
    """An open document as it was at the moment of asking, unsaved text included."""

    path: str
    text: str
    language_id: str
    is_dirty: bool
    is_untitled: bool = False

    @property
    def line_count(self) -> int:
        """How many lines the text has; the empty text has one, as everywhere in LSP."""
        text = self.text
        return text.count("\n") + text.count("\r") - text.count("\r\n") + 1


class TextSearch(msgspec.Struct, frozen=True):
    """What to select in a file, said by the text that stands there."""

    start_text: str
    end_text: str = ""
    to_end_of_line: bool = False


class Mention(msgspec.Struct, frozen=True):
    """A file, or lines of it (0-based, both inclusive), that a person wants to talk about."""

    path: str
    line_start: int | None = None
    line_end: int | None = None


class Proposal(msgspec.Struct, frozen=True):
    """A change that a CLI proposes and a person decides.

    `old_text` is None where the file does not exist yet; `is_unsaved` tells that it is what the
    editor holds, not what is on the disk.
    """

    id: str
    session: str
    path: str
    new_path: str
    old_text: str | None
    new_text: str
    tab_name: str
    is_unsaved: bool = False


class Cause(enum.Enum):
    """Why a review ended without a person's decision in the editor."""

    CLOSED_BY_CLI = "closed-by-cli"  # decided in the terminal, or closeAllDiffTabs
    REPLACED = "replaced"  # the same tab name was proposed again
    CLI_GONE = "cli-gone"
    EDITOR_GONE = "editor-gone"
    CANNOT_SHOW = "cannot-show"


class Accepted(msgspec.Struct, frozen=True, tag="accepted"):
    """A person took the change; `text` is the whole final text, as edited."""

    text: str


class Rejected(msgspec.Struct, frozen=True, tag="rejected"):
    """A person refused the change, or closed its view."""

    reason: str = ""


class Withdrawn(msgspec.Struct, frozen=True, tag="withdrawn"):
    """Nobody decided in the editor."""

    cause: Cause


Verdict = Accepted | Rejected | Withdrawn


class TextOutput(msgspec.Struct, frozen=True, tag="text"):
    """Text that executed code gave."""

    text: str


class ImageOutput(msgspec.Struct, frozen=True, tag="image"):
    """A picture that executed code gave."""

    data_base64: str
    mime_type: str


Output = TextOutput | ImageOutput


class Ability(enum.Enum):
    """What an editor can do; a tool whose ability is missing is not offered."""

    OPEN_FILES = "open-files"
    REVIEW = "review"
    SELECTION = "selection"
    TABS = "tabs"
    DIAGNOSTICS = "diagnostics"
    SAVE = "save"
    FORMAT = "format"
    EXECUTE = "execute"
