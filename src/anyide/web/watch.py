"""What happens on the disk: the folders of the workspace are watched, open files followed.

Only folders that git does not ignore are watched, each by itself: a watch on everything below the
root would cost a handle for every folder of every installed package. Open files are looked at once
a second as well, wherever they are.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from watchfiles import Change, watch

from anyide.editor.file import DiskState, disk_state
from anyide.errors import EditorError
from anyide.web.context import Context

MAX_WATCHED = 4000
"""Folders that are watched at the most, the outer ones first."""
DEBOUNCE_MS, STEP_MS, TIMEOUT_MS = 400, 50, 1000
POLL_SECONDS = 1.0
RETRY_SECONDS = 0.2

log = logging.getLogger(__name__)

Changes = set[tuple[Change, str]]


class Watcher:
    """Tells a context what changes on its disk, from `start` to `stop`."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._editor = context.editor
        self._stop = threading.Event()
        self._watched: frozenset[str] = frozenset()
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, in a thread of its own."""
        loop = asyncio.get_running_loop()
        report = self._report_to(loop)
        self._thread = threading.Thread(target=self._watch, args=(report,), daemon=True)
        self._thread.start()
        self._run(self._poll())

    async def stop(self) -> None:
        """End."""
        self._stop.set()
        for task in self._tasks:
            task.cancel()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, 1.0)

    # In the thread.

    def _report_to(self, loop: asyncio.AbstractEventLoop) -> Callable[[Changes], None]:
        def report(changes: Changes) -> None:
            if changes and not self._stop.is_set():
                loop.call_soon_threadsafe(self._changed, changes)

        return report

    def _watch(self, report: Callable[[Changes], None]) -> None:
        limit = MAX_WATCHED
        while limit and not self._stop.is_set():
            before, folders = self._watched, self._context.tree.folders()[:limit]
            self._watched = frozenset(folders)
            fresh = self._watched - before if before else frozenset()
            try:
                self._watch_folders(folders, fresh, report)
            except FileNotFoundError:
                self._stop.wait(RETRY_SECONDS)  # a folder was deleted just now
            except (OSError, RuntimeError) as error:  # such as: no more handles for so many
                limit = min(limit, len(folders)) // 2
                log.warning("only %d folders are watched: %s", limit, error)
        self._watched = frozenset()

    def _watch_folders(
        self, folders: list[str], fresh: frozenset[str], report: Callable[[Changes], None]
    ) -> None:
        for changes in watch(
            *folders,
            watch_filter=None,
            debounce=DEBOUNCE_MS,
            step=STEP_MS,
            rust_timeout=TIMEOUT_MS,
            yield_on_timeout=True,
            stop_event=self._stop,
            recursive=False,
            raise_interrupt=False,
            ignore_permission_denied=True,
        ):
            # What came into a new folder before it was watched is told once it is.
            report({*changes, *((Change.added, os.path.join(each, "")) for each in fresh)})  # noqa: PTH118
            fresh = frozenset()
            if any(self._is_new_folder(change, path) for change, path in changes):
                return

    def _is_new_folder(self, change: Change, path: str) -> bool:
        return change is Change.added and path not in self._watched and Path(path).is_dir()

    # In the loop.

    def _changed(self, changes: Changes) -> None:
        paths = {path for _, path in changes}
        for path in self._editor.open_paths:
            if path in paths or os.path.realpath(path) in paths:
                self._run(self._look(path))
        parents = {
            os.path.dirname(path)  # noqa: PTH120 - a slash at its end counts
            for change, path in changes
            if change is not Change.modified or Path(path).name == ".gitignore"
        }
        if parents:
            self._context.files_changed(parents)

    async def _look(self, path: str) -> None:
        try:
            await self._editor.look_at_disk(path)
        except EditorError as error:
            log.debug("%s cannot be followed: %s", path, error)

    async def _poll(self) -> None:
        """Look at open files now and then: not every folder is watched, nor from the beginning."""
        known: dict[str, DiskState | None] = {}
        while True:
            await asyncio.sleep(POLL_SECONDS)
            states = await asyncio.to_thread(_states, self._editor.open_paths)
            for path, state in states.items():
                if path not in known or known[path] != state:
                    await self._look(path)
            known = states

    def _run(self, work: object) -> None:
        assert asyncio.iscoroutine(work)
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _states(paths: Iterable[str]) -> dict[str, DiskState | None]:
    return {path: disk_state(path) for path in paths}
