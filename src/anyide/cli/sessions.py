"""List the sessions that Claude Code keeps on this machine, search them, or print one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from anyide.cli.parser import Parser
    from anyide.headless.transcript import SessionInfo

WIDTH = 70


def add_arguments(parser: Parser) -> None:
    """Declare the arguments."""
    parser.add_argument("session", metavar="SESSION", nargs="?", help="print this session")
    parser.add_argument("--search", metavar="TEXT", help="list where this was said")
    parser.add_argument("--folder", metavar="FOLDER", default=".", help="sessions of this folder")
    parser.add_argument("--all", action="store_true", help="sessions of all folders")
    parser.add_argument("--limit", metavar="COUNT", type=int, default=50, help="print at most")
    parser.add_argument("--json", action="store_true", help="print JSON, one object a line")


def run(args: Namespace) -> int:
    """Print what is asked for; 1 if there is nothing."""
    from itertools import islice

    count = 0
    for line in islice(_lines(args), None if args.session else args.limit):
        print(line)
        count += 1
    return 0 if count else 1


def _lines(args: Namespace) -> Iterator[str]:
    from anyide.headless.transcript import find_session, list_sessions, search_sessions

    folder = None if args.all else args.folder
    if args.session:
        yield from _conversation(find_session(args.session), as_json=args.json)
    elif args.search:
        for match in search_sessions(args.search, folder):
            if args.json:
                yield _json(match.session, snippet=match.snippet, role=match.line.role)
            else:
                yield f"{match.session.id}  {match.line.role:9}  {_short(match.snippet)}"
    else:
        for session in list_sessions(folder):
            yield _json(session) if args.json else _row(session, with_folder=args.all)


def _conversation(session: SessionInfo, *, as_json: bool) -> Iterator[str]:
    import msgspec

    from anyide.headless.transcript import read_session

    for line in read_session(session):
        if as_json:
            yield msgspec.json.encode(line.entry).decode()
        else:
            yield f"{'>' if line.role == 'user' else ' '} {line.text}"


def _row(session: SessionInfo, *, with_folder: bool) -> str:
    from datetime import datetime

    when = f"{datetime.fromtimestamp(session.modified):%Y-%m-%d %H:%M}"
    where = f"  ({session.cwd})" if with_folder and session.cwd else ""
    return f"{session.id}  {when}  {_short(session.title)}{where}"


def _json(session: SessionInfo, **more: str) -> str:
    import msgspec

    fields = {**msgspec.structs.asdict(session), "path": str(session.path), **more}
    return msgspec.json.encode(fields).decode()


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"
