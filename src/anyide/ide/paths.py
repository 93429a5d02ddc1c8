r"""The names that one file has: native, on the wire, as a URI. Strings in, strings out, no disk.

Native is what the machine says that the editor runs on: `C:\Users\foo`, `/home/foo`. On the wire
paths have forward slashes and a drive is the first folder: `/c/Users/foo`. A machine cannot be
guessed from a path (`/c/x` is also a fine POSIX name), so every function is told its flavour.

Two names cannot be told apart on the wire: a folder of one letter in the root of a WSL
distribution, `\\wsl$\Ubuntu\c`, and the drive `C:\`. The drive wins.
"""

from __future__ import annotations

import enum
import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote_from_bytes, unquote_to_bytes

from anyide.errors import InvalidParams

if TYPE_CHECKING:
    from collections.abc import Mapping


class Flavour(enum.Enum):
    """Whose paths are spoken: those of the machine that the editor runs on."""

    POSIX = "posix"
    WINDOWS = "windows"
    WSL = "wsl"


_DRIVE = re.compile(r"([A-Za-z]):(?=[\\/]|$)(.*)", re.DOTALL)
_WIRE_DRIVE = re.compile(r"/([A-Za-z])(?=/|$)(.*)", re.DOTALL)
_WSL_DRIVE = re.compile(r"/mnt/([a-z])(?=/|$)(.*)", re.DOTALL)
_WSL_SHARE = re.compile(r"[\\/]{2}wsl(?:\$|\.localhost)[\\/][^\\/]+(.*)", re.DOTALL | re.IGNORECASE)
_LONG = re.compile(r"[\\/]{2}\?[\\/](UNC[\\/])?", re.IGNORECASE)
_FILE_URI = re.compile(r"file:(?://([^/\\]*))?(.*)", re.DOTALL | re.IGNORECASE)
_OTHER_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://|untitled:", re.IGNORECASE)
# What VS Code leaves unescaped in a file URI; the colon of a drive is put back by hand.
_SAFE = "/-._~"


def flavour_of(platform: str, env: Mapping[str, str]) -> Flavour:
    """The flavour of a machine, by its `sys.platform` and environment."""
    if platform == "win32":
        return Flavour.WINDOWS
    return Flavour.WSL if env.get("WSL_DISTRO_NAME") else Flavour.POSIX


def to_wire(path: str, flavour: Flavour) -> str:
    """A native path as the protocol carries it; a Windows path that reaches WSL is mounted."""
    if flavour is Flavour.WINDOWS:
        return _windows_to_wire(path)
    return windows_to_wsl(path) if flavour is Flavour.WSL else path


def from_wire(path: str, flavour: Flavour, *, distro: str = "") -> str:
    r"""A path of the wire as the machine names it.

    On Windows a path without a drive belongs to the WSL distribution `distro`, where one is given,
    and stays a path from the root of the current drive, `\home\x`, where none is.
    """
    if flavour is not Flavour.WINDOWS:
        return to_wire(path, flavour)
    if _DRIVE.match(path):  # already native: some clients never convert
        return _with_upper_drive(path)
    if drive := _WIRE_DRIVE.match(path):
        return f"{drive[1].upper()}:{_backslashed(drive[2]) or chr(92)}"
    if distro and path.startswith("/") and not path.startswith("//"):
        return wsl_to_windows(path, distro)
    return _backslashed(path)


def windows_to_wsl(path: str) -> str:
    r"""`C:\Users\foo` as `/mnt/c/Users/foo`, `\\wsl$\Ubuntu\home` as `/home`, others unchanged."""
    path = _without_long_prefix(path)
    if share := _WSL_SHARE.fullmatch(path):
        return _slashed(share[1]) or "/"
    if drive := _DRIVE.fullmatch(path):
        return f"/mnt/{drive[1].lower()}{_slashed(drive[2])}"
    return path


def wsl_to_windows(path: str, distro: str) -> str:
    r"""`/mnt/c/Users/foo` as `C:\Users\foo`, `/home/x` as `\\wsl.localhost\<distro>\home\x`."""
    if drive := _WSL_DRIVE.fullmatch(path):
        return f"{drive[1].upper()}:{_backslashed(drive[2]) or chr(92)}"
    if not path.startswith("/"):
        return path
    return rf"\\wsl.localhost\{distro}" + _backslashed(path)


def wsl_distro(path: str) -> str | None:
    r"""The distribution that a Windows path leads into, as `\\wsl$\Ubuntu\home` does; else None."""
    return path.replace("/", "\\").split("\\")[3] if _WSL_SHARE.fullmatch(path) else None


@lru_cache(1024)
def path_to_uri(path: str, flavour: Flavour) -> str:
    """The `file:` URI of an absolute native path."""
    if flavour is not Flavour.WINDOWS:
        return "file://" + _quoted(path, flavour)
    path = _without_long_prefix(path)
    if drive := _DRIVE.fullmatch(path):
        return f"file:///{drive[1].lower()}:{_quoted(_slashed(drive[2]), flavour)}"
    path = _slashed(path)
    return ("file:" if path.startswith("//") else "file://") + _quoted(path, flavour)


def uri_to_path(uri: str, flavour: Flavour) -> str:
    """The native path that a `file:` URI names; a plain path is taken as it is.

    `#` and `?` are part of the name: the CLI puts `file://` before a path and escapes nothing.
    Raises InvalidParams for a URI of another kind.
    """
    if found := _FILE_URI.fullmatch(uri):
        host, path = found[1] or "", _unquoted(found[2], flavour)
        return _native(_unquoted(host, flavour), path, flavour)
    if _OTHER_URI.match(uri):
        raise InvalidParams(f"not a file URI: {uri!r}")
    return from_wire(uri, flavour)


def normalise(path: str) -> str:
    """A wire path without `.`, `..` and doubled slashes; a slash at the end is kept."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", ".", ".."):
            parts.append(part)
    root = "/" if path.startswith("/") else ""
    return root + "/".join(parts) + ("/" if parts and path.endswith("/") else "")


def relative_to(path: str, folder: str, flavour: Flavour) -> str | None:
    """The wire path from `folder` to `path`, empty for itself; None if it leads outside.

    Both may be native or wire paths; Windows names are compared without case.
    """
    ours, theirs = (_comparable(each, flavour) for each in (folder, path))
    root = ours.rstrip("/")
    within, around = (
        (theirs.casefold(), root.casefold()) if flavour is Flavour.WINDOWS else (theirs, root)
    )
    if within.rstrip("/") == around:
        return ""
    if not within.startswith(around + "/"):
        return None
    # Case folding can change the length of a name, so count folders instead of characters.
    return "/".join(theirs.split("/")[root.count("/") + 1 :])


def _comparable(path: str, flavour: Flavour) -> str:
    # macOS spells é as two characters on disk, editors mostly as one.
    return unicodedata.normalize("NFC", normalise(to_wire(path, flavour)))


def _windows_to_wire(path: str) -> str:
    path = _without_long_prefix(path)
    if share := _WSL_SHARE.fullmatch(path):
        return _slashed(share[1]) or "/"
    if drive := _DRIVE.fullmatch(path):
        return f"/{drive[1].lower()}{_slashed(drive[2])}"
    return _slashed(path)


def _native(host: str, path: str, flavour: Flavour) -> str:
    if _DRIVE.match(host + path):  # `file://C:\x`: glued together by a client
        host, path = "", host + path
    if _DRIVE.match(path[1:]) and flavour is not Flavour.POSIX:
        path = path[1:]
    if host.lower() not in ("", "localhost"):
        path = f"//{host}{path}"
    if flavour is Flavour.WSL:
        return windows_to_wsl(path)
    return _with_upper_drive(_backslashed(path)) if flavour is Flavour.WINDOWS else path


def _without_long_prefix(path: str) -> str:
    if prefix := _LONG.match(path):
        return ("\\\\" if prefix[1] else "") + path[prefix.end() :]
    return path


def _with_upper_drive(path: str) -> str:
    if not (drive := _DRIVE.fullmatch(path)):
        return path
    return f"{drive[1].upper()}:{_backslashed(drive[2]) or chr(92)}"


def _slashed(path: str) -> str:
    return path.replace("\\", "/")


def _backslashed(path: str) -> str:
    return path.replace("/", "\\")


def _quoted(path: str, flavour: Flavour) -> str:
    # A POSIX name is bytes, those that are no UTF-8 are escaped as lone surrogates by Python; a
    # Windows name is UTF-16 that may hold lone surrogates of its own.
    escaped = "surrogatepass" if flavour is Flavour.WINDOWS else "surrogateescape"
    try:
        return quote_from_bytes(path.encode("utf-8", escaped), safe=_SAFE)
    except UnicodeEncodeError:  # no file can have this name, but a message can
        return quote_from_bytes(path.encode("utf-8", "surrogatepass"), safe=_SAFE)


def _unquoted(text: str, flavour: Flavour) -> str:
    if "%" not in text:
        return text
    data = _unquoted_bytes(text)
    if flavour is not Flavour.WINDOWS:
        return data.decode("utf-8", "surrogateescape")
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def _unquoted_bytes(text: str) -> bytes:
    try:
        return unquote_to_bytes(text.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        return unquote_to_bytes(text.encode("utf-8", "surrogatepass"))
