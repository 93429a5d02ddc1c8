"""The listeners of one editor, told as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyide.editor.model import FileDiagnostics, Mention, Selection
    from anyide.editor.seam import Listener


class Listeners:
    """A listener that passes everything on to all who subscribed."""

    def __init__(self) -> None:
        self._listeners: dict[object, Listener] = {}

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Tell a listener from now on; the returned function ends that, once or more often."""
        key = object()
        self._listeners[key] = listener

        def unsubscribe() -> None:
            self._listeners.pop(key, None)

        return unsubscribe

    def selection_changed(self, selection: Selection) -> None:
        """Tell all of a selection."""
        for listener in tuple(self._listeners.values()):
            listener.selection_changed(selection)

    def mentioned(self, mention: Mention, session: str | None) -> None:
        """Tell all of a mention."""
        for listener in tuple(self._listeners.values()):
            listener.mentioned(mention, session)

    def diagnostics_changed(self, changed: FileDiagnostics) -> None:
        """Tell all of a file's diagnostics."""
        for listener in tuple(self._listeners.values()):
            listener.diagnostics_changed(changed)
