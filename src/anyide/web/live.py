"""What a page may ask over the live channel, one method each."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from anyide.errors import ConnectionClosed
from anyide.rpc.connection import Connection, Handler
from anyide.rpc.message import Notification, Request
from anyide.rpc.params import decode_params
from anyide.state.review import Decision
from anyide.web.context import Context
from anyide.web.messages import (
    Accept,
    AskHistory,
    ChangeText,
    Close,
    Closed,
    Entries,
    Find,
    Hello,
    KeepReviewDraft,
    MentionLines,
    Nothing,
    OfPath,
    OfReview,
    Open,
    PageDocument,
    Paths,
    Pause,
    Reject,
    Review,
    ReviewDraft,
    ReviewSummary,
    Save,
    SaveAs,
    Saved,
    Select,
    Sent,
    Sessions,
    Sharing,
    Version,
    Welcome,
)

T = TypeVar("T")


class LivePage:
    """One window: answers what it asks; told what happens once it said hello."""

    def __init__(self, context: Context, on_closed: Callable[[LivePage], None]) -> None:
        self._context = context
        self._editor = context.editor
        self._on_closed = on_closed
        self.connection = Connection(self._handlers(), on_closed=self._closed, name="page")

    def _closed(self, _: ConnectionClosed) -> None:
        self._editor.pages.leave(self)
        self._on_closed(self)

    def _handlers(self) -> dict[str, Handler]:
        return {
            "hello": _taking(Hello, self._hello),
            "tree": _taking(OfPath, self._tree),
            "find": _taking(Find, self._find),
            "open": _taking(Open, self._open),
            "newDocument": _taking(Nothing, self._new_document),
            "close": _taking(Close, self._close),
            "activate": _taking(OfPath, self._activate),
            "pin": _taking(OfPath, self._pin),
            "reopen": _taking(Nothing, self._reopen),
            "change": _taking(ChangeText, self._change),
            "save": _taking(Save, self._save),
            "saveAs": _taking(SaveAs, self._save_as),
            "revert": _taking(OfPath, self._revert),
            "select": _taking(Select, self._select),
            "mention": _taking(MentionLines, self._mention),
            "reviews": _taking(Nothing, self._reviews),
            "review": _taking(OfReview, self._review),
            "reviewDraft": _taking(KeepReviewDraft, self._review_draft),
            "accept": _taking(Accept, self._accept),
            "reject": _taking(Reject, self._reject),
            "history": _taking(AskHistory, self._history),
            "pause": _taking(Pause, self._pause),
            "sessions": _taking(Nothing, self._sessions),
            "takeDraft": _taking(OfPath, self._take_draft),
            "dropDraft": _taking(OfPath, self._drop_draft),
        }

    async def _hello(self, _: Hello) -> Welcome:
        welcome = await self._context.welcome()
        self._editor.pages.join(self, self.connection.notify)
        return welcome

    # Files and documents.

    def _tree(self, asked: OfPath) -> Coroutine[Any, Any, Entries]:
        return self._context.entries(asked.path)

    def _find(self, asked: Find) -> Coroutine[Any, Any, Paths]:
        return self._context.find(asked.query, asked.limit)

    def _open(self, asked: Open) -> Coroutine[Any, Any, PageDocument]:
        return self._editor.open_in_page(asked.path, preview=asked.preview, focus=asked.focus)

    def _new_document(self, _: Nothing) -> PageDocument:
        return self._editor.new_in_page()

    def _close(self, asked: Close) -> Coroutine[Any, Any, Closed]:
        return self._editor.close_in_page(asked.path, discard=asked.discard)

    def _activate(self, asked: OfPath) -> None:
        self._editor.activate(asked.path)

    def _pin(self, asked: OfPath) -> None:
        self._editor.pin(asked.path)

    def _reopen(self, _: Nothing) -> Coroutine[Any, Any, PageDocument | None]:
        return self._editor.reopen()

    def _change(self, asked: ChangeText) -> Version:
        # On the spot, not in a task: edits count in the order in which they come.
        return Version(self._editor.change(asked, page=self))

    def _save(self, asked: Save) -> Coroutine[Any, Any, Saved]:
        return self._editor.save_in_page(asked.path, overwrite=asked.overwrite)

    def _save_as(self, asked: SaveAs) -> Coroutine[Any, Any, PageDocument]:
        return self._editor.save_as_in_page(asked.path, asked.target)

    def _revert(self, asked: OfPath) -> Coroutine[Any, Any, PageDocument]:
        return self._editor.revert(asked.path)

    def _take_draft(self, asked: OfPath) -> Coroutine[Any, Any, PageDocument]:
        return self._editor.take_draft(asked.path)

    def _drop_draft(self, asked: OfPath) -> bool:
        return self._editor.drafts.drop(asked.path)

    # What is shared.

    def _select(self, asked: Select) -> None:
        self._editor.select_in_page(asked.path, asked.start, asked.end)

    def _mention(self, asked: MentionLines) -> None:
        self._context.mention(asked)

    def _pause(self, asked: Pause) -> Sharing:
        return self._context.pause(paused=asked.paused)

    def _sessions(self, _: Nothing) -> Sessions:
        return self._context.sessions()

    # Reviews.

    def _reviews(self, _: Nothing) -> tuple[ReviewSummary, ...]:
        return self._editor.reviews.summaries

    def _review(self, asked: OfReview) -> Review:
        return self._editor.reviews.review(self._editor.proposal(asked.id))

    def _review_draft(self, asked: KeepReviewDraft) -> None:
        draft = ReviewDraft(asked.text, asked.hunks)
        self._editor.reviews.keep_draft(self._editor.proposal(asked.id), draft)

    def _accept(self, asked: Accept) -> Sent:
        self._editor.accept(self._editor.proposal(asked.id).id, asked.text)
        return Sent()

    def _reject(self, asked: Reject) -> Sent:
        self._editor.reject(self._editor.proposal(asked.id).id, asked.reason)
        return Sent()

    def _history(self, asked: AskHistory) -> list[Decision]:
        return self._editor.reviews.history(asked.limit)


def _taking(kind: type[T], answer: Callable[[T], Any]) -> Handler:
    def handle(message: Request | Notification) -> Any:
        return answer(decode_params(message.params, kind))

    return handle
