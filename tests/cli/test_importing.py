from __future__ import annotations

import gc
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from anyide.cli.importing import importing

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    gc.unfreeze()
    gc.enable()


def test_no_garbage_is_looked_for_meanwhile() -> None:
    with importing():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_what_is_there_then_is_never_looked_through_again() -> None:
    before = gc.get_freeze_count()
    with importing():
        made: list[list[int]] = [[] for _ in range(1000)]
    assert gc.get_freeze_count() - before >= len(made)


def test_an_import_that_fails_does_not_stop_the_collector() -> None:
    with pytest.raises(ImportError), importing():
        raise ImportError
    assert gc.isenabled()


def test_who_had_switched_it_off_finds_it_off() -> None:
    gc.disable()
    with importing():
        pass
    assert not gc.isenabled()


def test_asyncio_is_imported_without_tls_and_tls_stays_there_for_others() -> None:
    program = """
import sys
from anyide.cli.importing import import_asyncio_without_tls
import_asyncio_without_tls()
import asyncio.sslproto
assert asyncio.sslproto.ssl is None
import ssl
ssl.create_default_context()
import_asyncio_without_tls()
assert sys.modules["ssl"] is ssl
async def main():
    server = await asyncio.start_server(lambda r, w: None, "127.0.0.1", 0)
    server.close()
asyncio.run(main())
"""
    subprocess.run([sys.executable, "-c", program], check=True)
