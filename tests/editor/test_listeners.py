from __future__ import annotations

from anyide.editor.listeners import Listeners
from anyide.editor.model import FileDiagnostics, Mention, Position, Range, Selection


class Notes:
    def __init__(self) -> None:
        self.heard: list[object] = []

    def selection_changed(self, selection: Selection) -> None:
        self.heard.append(selection)

    def mentioned(self, mention: Mention, session: str | None) -> None:
        self.heard.append((mention, session))

    def diagnostics_changed(self, changed: FileDiagnostics) -> None:
        self.heard.append(changed)


SELECTION = Selection("/a", "", Range(Position(0, 0), Position(0, 0)))
CHANGED = FileDiagnostics("/a", ())


def test_everyone_who_subscribed_hears_everything() -> None:
    listeners, one, other = Listeners(), Notes(), Notes()
    listeners.subscribe(one)
    listeners.subscribe(other)
    listeners.selection_changed(SELECTION)
    listeners.mentioned(Mention("/a"), "s")
    listeners.diagnostics_changed(CHANGED)
    assert one.heard == other.heard == [SELECTION, (Mention("/a"), "s"), CHANGED]


def test_who_unsubscribed_hears_nothing_more_and_may_do_so_twice() -> None:
    listeners, one, other = Listeners(), Notes(), Notes()
    leave = listeners.subscribe(one)
    listeners.subscribe(other)
    leave()
    leave()
    listeners.selection_changed(SELECTION)
    assert one.heard == []
    assert other.heard == [SELECTION]


def test_who_subscribed_twice_and_left_once_still_hears() -> None:
    listeners, one = Listeners(), Notes()
    listeners.subscribe(one)
    listeners.subscribe(one)()
    listeners.selection_changed(SELECTION)
    assert one.heard == [SELECTION]


def test_a_listener_may_leave_while_it_is_told() -> None:
    listeners, other = Listeners(), Notes()

    class Leaver(Notes):
        def selection_changed(self, selection: Selection) -> None:
            super().selection_changed(selection)
            leave()

    leaver = Leaver()
    leave = listeners.subscribe(leaver)
    listeners.subscribe(other)
    listeners.selection_changed(SELECTION)
    listeners.selection_changed(SELECTION)
    assert leaver.heard == [SELECTION]
    assert other.heard == [SELECTION, SELECTION]
