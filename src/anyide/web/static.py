"""The page's own files, served from memory: there are many small ones, and a start waits for all.

Only what is in the folder at the start has a name here, so no name leads anywhere else.
"""

from __future__ import annotations

import hashlib
from http import HTTPStatus
from pathlib import Path

import msgspec
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

# Not the machine's registry, which may be wrong: browsers take modules by their type alone.
TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".html": "text/html",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".woff2": "font/woff2",
    ".png": "image/png",
    ".txt": "text/plain",
}


class _File(msgspec.Struct, frozen=True):
    data: bytes
    kind: str
    tag: str
    modified_ns: int


class Static:
    """The files below a folder by their names from there; an ASGI app."""

    def __init__(self, folder: Path) -> None:
        self._places = {
            file.relative_to(folder).as_posix(): file
            for file in folder.rglob("*")
            if file.suffix in TYPES and file.is_file()
        }
        self._read: dict[str, _File] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for a file."""
        name = str(scope["path"]).removeprefix(str(scope.get("root_path", ""))).lstrip("/")
        answer = self.answer(name, Headers(scope=scope).get("if-none-match", ""))
        await answer(scope, receive, send)

    def answer(self, name: str, known: str = "") -> Response:
        """The file of that name, unless the browser knows it."""
        file = self._file(name)
        if file is None:
            return Response("There is no such file.", HTTPStatus.NOT_FOUND)
        headers = {"ETag": file.tag}
        if file.tag == known:
            return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
        return Response(file.data, headers=headers, media_type=file.kind)

    def _file(self, name: str) -> _File | None:
        place = self._places.get(name)
        if place is None:
            return None
        try:
            modified = place.stat().st_mtime_ns
            known = self._read.get(name)
            if known is None or known.modified_ns != modified:
                known = self._read[name] = _read(place, modified)
        except OSError:
            return None
        return known


def _read(place: Path, modified_ns: int) -> _File:
    data = place.read_bytes()
    tag = f'"{hashlib.sha256(data).hexdigest()[:32]}"'
    return _File(data, TYPES[place.suffix], tag, modified_ns)
