"""Where the real CLI does not write what it is told, and how an answer makes up for it. Pure.

Seen with 2.1.325: a new file is written without the last newline of what `FILE_SAVED` carries, and
an empty text is taken for a refusal. What a person accepted is what must be on the disk, so the
text of a new file goes out with one newline more. For a file that exists the CLI does so for Write
but not for Edit, and nothing in the request tells the two apart; there the exact text is sent.
"""

from __future__ import annotations


def text_to_save(text: str, *, is_new_file: bool, to_real_cli: bool) -> str:
    """What to send, so that exactly `text` is written."""
    loses_newline = text == "" or text.endswith("\n")
    return f"{text}\n" if to_real_cli and is_new_file and loses_newline else text
