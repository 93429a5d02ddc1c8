from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anyide.editor import document
from anyide.editor.language import language_id


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("/a/b.py", "python"),
        ("/a/B.PY", "python"),
        ("C:\\work\\app.tsx", "typescriptreact"),
        ("/a/x.d.ts", "typescript"),
        ("/a/Dockerfile", "dockerfile"),
        ("/a/Dockerfile.dev", "dockerfile"),
        ("/a/Makefile", "makefile"),
        ("/a/CMakeLists.txt", "cmake"),
        ("/a/.env", "dotenv"),
        ("/a/.env.local", "dotenv"),
        ("/a/tsconfig.json", "jsonc"),
        ("/a/requirements-dev.txt", "pip-requirements"),
        ("/a/x.h", "cpp"),
        ("/a/x.sh", "shellscript"),
        ("/a/README.md", "markdown"),
        ("/a/go.mod", "go.mod"),
        ("/a.py/x", "plaintext"),
        ("/a/.py", "plaintext"),
        ("/a/x.unheard", "plaintext"),
        ("untitled:Untitled-1", "plaintext"),
        ("", "plaintext"),
    ],
)
def test_a_file_name_tells_its_language(path: str, language: str) -> None:
    assert language_id(path) == language


@given(st.text())
def test_every_name_has_a_language(path: str) -> None:
    assert language_id(path)


def test_the_document_module_offers_it_too() -> None:
    assert document.language_id is language_id
