"""Another anyide that serves the same folders: it is asked for a link to its page.

Its address may be left from an earlier run, and somebody else may listen there by now. So the
secret that both can read in the state is never sent: each side proves that it knows it.
"""

from __future__ import annotations

import hmac
import http.client
import secrets

import msgspec

from anyide.state.endpoint import PageEndpoint
from anyide.web.gate import NONCE_HEADER, PROOF_HEADER, prove

ASK_SECONDS = 2.0
MAX_ANSWER_BYTES = 4096


class _Answer(msgspec.Struct, frozen=True):
    link: str
    proof: str


def running_link(page: PageEndpoint) -> str | None:
    """A fresh link to the page that is served there; None when it is not, or not by us."""
    nonce = secrets.token_hex(16)
    headers = {NONCE_HEADER: nonce, PROOF_HEADER: prove(page.control, page.port, nonce)}
    connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=ASK_SECONDS)
    try:
        connection.request("POST", "/link", headers=headers)
        answer = msgspec.json.decode(connection.getresponse().read(MAX_ANSWER_BYTES), type=_Answer)
    except (OSError, http.client.HTTPException, msgspec.DecodeError):
        return None
    finally:
        connection.close()
    expected = prove(page.control, page.port, f"{nonce} {answer.link}")
    return answer.link if hmac.compare_digest(answer.proof.encode(), expected.encode()) else None
