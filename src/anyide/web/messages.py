"""What a page and the server say to each other over the live channel.

Offsets are UTF-16 code units into a document's text as it is on the disk, CRLF included; a version
names one state of that text. Paths are absolute.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from anyide.editor.model import Diagnostic

Kind = Literal["text", "image", "binary", "tooBig"]
Edit = tuple[int, int, str]
HunkState = Literal["accepted", "rejected"]


class _Said(msgspec.Struct, frozen=True, rename="camel"):
    """Everything here is camelCase on the wire."""


# What a page asks


class Hello(_Said, frozen=True):
    """A page introduces itself."""

    window: str


class Nothing(_Said, frozen=True):
    """No arguments."""


class OfPath(_Said, frozen=True):
    """Something about one file or document."""

    path: str


class Find(_Said, frozen=True):
    """Which files have a name like that."""

    query: str
    limit: int = 50


class Open(_Said, frozen=True):
    """Open a file."""

    path: str
    preview: bool = False
    focus: bool = True


class Close(_Said, frozen=True):
    """Close a document, with its unsaved text if `discard`."""

    path: str
    discard: bool = False


class ChangeText(_Said, frozen=True):
    """An edit; `version` is the one that it was made to."""

    path: str
    version: int
    changes: tuple[Edit, ...]
    window: str = ""


class Save(_Said, frozen=True):
    """Save a document, over a file that changed meanwhile if `overwrite`."""

    path: str
    overwrite: bool = False


class SaveAs(_Said, frozen=True):
    """Save a document as a new file."""

    path: str
    target: str


class Select(_Said, frozen=True):
    """Where the cursor is, or what is selected."""

    path: str
    start: int = msgspec.field(name="from")
    end: int = msgspec.field(name="to")


class MentionLines(_Said, frozen=True):
    """Put a file, or lines of it, into the prompt of one session or of all."""

    path: str
    line_start: int | None = None
    line_end: int | None = None
    session: str | None = None


class OfReview(_Said, frozen=True):
    """Something about one review."""

    id: str


class KeepReviewDraft(_Said, frozen=True):
    """What a person made of a proposal so far."""

    id: str
    text: str
    hunks: dict[str, HunkState] = {}


class Accept(_Said, frozen=True):
    """A person takes a change; `text` is the whole final text."""

    id: str
    text: str


class Reject(_Said, frozen=True):
    """A person refuses a change."""

    id: str
    reason: str = ""


class AskHistory(_Said, frozen=True):
    """The latest decisions."""

    limit: int = 100


class Pause(_Said, frozen=True):
    """Share nothing from now on, or share again."""

    paused: bool


# What it is answered and told


class Claude(_Said, frozen=True):
    """Whether the CLI was found, and the line that connects it."""

    found: bool
    line: str
    path: str | None = None


class Sharing(_Said, frozen=True):
    """What is being shared right now; `lines` counts those of the selection."""

    paused: bool
    path: str | None = None
    lines: int = 0
    is_denied: bool = False


class Session(_Said, frozen=True):
    """A connected CLI."""

    id: str
    folder: str
    version: str
    pid: int | None
    is_silent: bool
    pending: int
    client: str = ""


class PageTab(_Said, frozen=True):
    """An open document as the row of tabs shows it."""

    path: str
    label: str
    language_id: str
    is_active: bool
    is_dirty: bool
    is_preview: bool
    is_untitled: bool
    is_denied: bool
    kind: Kind


class ReviewSummary(_Said, frozen=True):
    """A review as the queue shows it."""

    id: str
    session: str
    path: str
    new_path: str
    tab_name: str
    is_new: bool
    is_unsaved: bool
    created_at: float
    added: int
    removed: int


class ReviewDraft(_Said, frozen=True):
    """What a person made of a proposal so far."""

    text: str
    hunks: dict[str, HunkState] = {}


class Review(_Said, frozen=True):
    """A review with its texts."""

    id: str
    session: str
    path: str
    new_path: str
    tab_name: str
    old_text: str | None
    new_text: str
    is_unsaved: bool
    created_at: float
    language_id: str
    draft: ReviewDraft | None = None


class Problem(_Said, frozen=True):
    """What is wrong with a file, perhaps nothing."""

    path: str
    diagnostics: tuple[Diagnostic, ...]


class OfferedDraft(_Said, frozen=True):
    """Unsaved text that an earlier run left behind."""

    path: str
    saved_at: float
    is_untitled: bool


class Welcome(_Said, frozen=True):
    """Everything a page needs to begin."""

    version: str
    folders: tuple[str, ...]
    name: str
    platform: str
    claude: Claude
    sharing: Sharing
    sessions: tuple[Session, ...]
    tabs: tuple[PageTab, ...]
    active: str | None
    reviews: tuple[ReviewSummary, ...]
    problems: tuple[Problem, ...]
    drafts: tuple[OfferedDraft, ...]


class Entry(_Said, frozen=True):
    """A name in a folder."""

    name: str
    path: str
    kind: Literal["file", "folder", "link"]
    is_ignored: bool
    is_denied: bool
    size: int
    is_folder: bool = False


class Entries(_Said, frozen=True):
    """What is in a folder; `is_cut` tells that there is more."""

    entries: tuple[Entry, ...]
    is_cut: bool = False


class Paths(_Said, frozen=True):
    """Files by their paths."""

    paths: tuple[str, ...]


class Span(_Said, frozen=True):
    """From one offset up to another."""

    start: int = msgspec.field(name="from")
    end: int = msgspec.field(name="to")


class PageDocument(_Said, frozen=True):
    """An open document, whole."""

    path: str
    version: int
    text: str
    language_id: str
    is_dirty: bool
    is_untitled: bool
    is_denied: bool
    is_read_only: bool
    kind: Kind
    size: int
    newline: str
    encoding: str
    has_bom: bool
    disk_changed: bool
    selection: Span


class Closed(_Said, frozen=True):
    """Whether a document was closed, or why not."""

    closed: bool
    needs_decision: bool = False


class Version(_Said, frozen=True):
    """The version that a document has now."""

    version: int


class Conflict(_Said, frozen=True):
    """What the file holds that is in the way; None: it was deleted."""

    disk_text: str | None


class Saved(_Said, frozen=True):
    """Whether a document was saved, or what is in the way."""

    saved: bool
    version: int
    conflict: Conflict | None = None


class Sent(_Said, frozen=True):
    """A decision went to the CLI."""

    sent: bool = True


class Changed(_Said, frozen=True):
    """Another window's edit; `version` is the one after it."""

    path: str
    version: int
    changes: tuple[Edit, ...]
    window: str


class Reloaded(_Said, frozen=True):
    """A document has another text now."""

    path: str
    version: int
    text: str


class DiskChanged(_Said, frozen=True):
    """The file of a document with unsaved changes is another one now, or none."""

    path: str
    deleted: bool


class DocumentState(_Said, frozen=True):
    """How a document stands to its file."""

    path: str
    version: int
    is_dirty: bool
    disk_changed: bool
    is_read_only: bool


class Tabs(_Said, frozen=True):
    """The row of tabs."""

    tabs: tuple[PageTab, ...]
    active: str | None


class Reveal(_Said, frozen=True):
    """Show a place in a document."""

    path: str
    start: int = msgspec.field(name="from")
    end: int = msgspec.field(name="to")
    focus: bool = True


class ReviewOpened(_Said, frozen=True):
    """A change waits for a decision."""

    summary: ReviewSummary


class ReviewEnded(_Said, frozen=True):
    """A review is over."""

    id: str
    path: str
    verdict: Literal["accepted", "rejected", "withdrawn"]
    by: Literal["editor", "terminal", "replaced", "gone"]
    cause: str | None = None


class Sessions(_Said, frozen=True):
    """The connected CLIs."""

    sessions: tuple[Session, ...]


class TreeChanged(_Said, frozen=True):
    """Folders whose content is another one now."""

    paths: tuple[str, ...]
