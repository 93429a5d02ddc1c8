"""What a tool works with: the editor, what may be shared, how to speak, whose call it is."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Sequence

import msgspec

from anyide.editor.model import Diagnostic, FileDiagnostics, Selection, Tab
from anyide.editor.seam import Editor
from anyide.errors import InvalidParams
from anyide.ide.dialect import Dialect
from anyide.ide.messages import (
    SelectionChanged,
    UriDiagnostics,
    WireDiagnostic,
    WireSelection,
)
from anyide.ide.paths import Flavour, path_to_uri, to_wire, uri_to_path
from anyide.ide.policy import Policy
from anyide.ide.real_path import real_path
from anyide.ide.reviews import Reviews

UNTITLED = "untitled:"


class Context(msgspec.Struct, frozen=True):
    """Everything a tool may touch, for one session."""

    editor: Editor
    folders: tuple[str, ...]
    dialect: Dialect
    flavour: Flavour
    session: str
    reviews: Reviews
    current_policy: Callable[[], Policy]
    """Asked each time: a person may pause sharing at any moment."""
    is_real_cli: bool = False
    """Whether the other side is the Claude Code CLI itself, not another client."""

    @property
    def policy(self) -> Policy:
        """What may be shared now."""
        return self.current_policy()

    # Paths: native inside, as the protocol writes them outside.

    def native(self, name: str, argument: str = "uri") -> str:
        """The absolute native path of what a client names: a path, or a file URI.

        A relative one begins at the first workspace folder. Raises InvalidParams, which names the
        argument, for a URI that is not of a file and for what can be no path.
        """
        if name.startswith(UNTITLED):
            return name
        try:
            path = uri_to_path(name, self.flavour)
        except InvalidParams as error:
            raise InvalidParams(f"{argument}: {error.message}") from error
        if "\0" in path:
            raise InvalidParams(f"{argument}: no path has a NUL character")
        start = self.folders[0] if self.folders else os.curdir
        return os.path.abspath(os.path.join(start, path))  # noqa: PTH100, PTH118 - strings all along

    def wire(self, path: str) -> str:
        """A native path as it goes over the wire."""
        return to_wire(path, self.flavour)

    def uri(self, path: str) -> str:
        """The URI of a document."""
        return path if path.startswith(UNTITLED) else path_to_uri(path, self.flavour)

    # What may leave.

    def may_share(self, path: str) -> bool:
        """Whether a file may be named, by its name and by where its links lead."""
        return self.policy.allows(path, _real(path))

    def selection(self, selection: Selection | None) -> SelectionChanged | None:
        """What may be told of a selection, in the protocol's form."""
        if selection is None:
            return None
        shared = self.policy.selection(selection, _real(selection.path))
        if shared is None:
            return None
        return SelectionChanged(
            text=shared.text,
            file_path=self.wire(shared.path),
            file_url=self.uri(shared.path),
            selection=WireSelection(
                shared.range.start, shared.range.end, is_empty=shared.range.is_empty
            ),
        )

    def tabs(self, tabs: Sequence[Tab]) -> tuple[Tab, ...]:
        """The tabs that may be named."""
        return tuple(tab for tab in tabs if self.may_share(tab.path))

    def diagnostics(self, found: FileDiagnostics, uri: str = "") -> UriDiagnostics | None:
        """What may be told of a file's diagnostics; under `uri`, the name it was asked by."""
        if not self.may_share(found.path):
            return None
        return UriDiagnostics(
            uri=uri or self.uri(found.path),
            diagnostics=tuple(self._diagnostic(each) for each in found.diagnostics),
        )

    def _diagnostic(self, diagnostic: Diagnostic) -> WireDiagnostic:
        return WireDiagnostic(
            message=diagnostic.message,
            severity=self.dialect.severities[diagnostic.severity],
            range=diagnostic.range,
            source=diagnostic.source,
            code=diagnostic.code,
        )


def _real(path: str) -> str | None:
    return None if path.startswith(UNTITLED) else real_path(path)


def base_name(path: str) -> str:
    """The last part of a path of any flavour."""
    return posixpath.basename(path.replace("\\", "/"))
