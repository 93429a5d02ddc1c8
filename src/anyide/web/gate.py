"""Who is let in to the page: decided from the head of a request.

A page of somebody else's sends its own `Origin`; one behind a rebound host name sends that name as
`Host`. A person comes with a link that opens once and gets a cookie for it. Another `anyide` of
the same person proves that it can read our state.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import socket
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie

from anyide.log import keep_secret

MAX_KEYS = 32
"""Links that were given out and not used yet; the oldest go first."""
NONCE_HEADER, PROOF_HEADER = "x-anyide-nonce", "x-anyide-proof"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class Keys:
    """Keys that open once."""

    def __init__(self) -> None:
        self._keys: dict[str, None] = {}

    def issue(self) -> str:
        """Make a key."""
        key = secrets.token_urlsafe(32)
        keep_secret(key)
        self._keys[key] = None
        while len(self._keys) > MAX_KEYS:
            del self._keys[next(iter(self._keys))]
        return key

    def take(self, given: str) -> bool:
        """Whether a key opens; it does so once."""
        for key in self._keys:
            if _is_same(given, key):
                del self._keys[key]
                return True
        return False


class Gate:
    """The rules for one port; `remote` lets in who names this machine, not only loopback."""

    def __init__(self, port: int, cookie: str, control: str, *, remote: bool = False) -> None:
        self.port = port
        self.keys = Keys()
        self._cookie = cookie
        self._control = control
        self._remote = remote
        keep_secret(cookie)
        keep_secret(control)

    @property
    def cookie(self) -> tuple[str, str]:
        """Name and value of the cookie; browsers do not keep cookies apart by port, so we do."""
        return f"anyide_{self.port}", self._cookie

    def allows_host(self, host: str) -> bool:
        """Whether a `Host` header names us."""
        name, colon, port = host.lower().rpartition(":")
        if not colon or port != str(self.port):
            return False
        return name in LOOPBACK or (self._remote and _is_this_machine(name))

    def allows_origin(self, origin: str, host: str) -> bool:
        """Whether an `Origin` header is that of our own page."""
        return origin.lower() == f"http://{host.lower()}"

    def has_cookie(self, cookies: Iterable[str]) -> bool:
        """Whether one of the `Cookie` headers holds ours."""
        name, value = self.cookie
        for header in cookies:
            jar: SimpleCookie = SimpleCookie()
            try:
                jar.load(header)
            except CookieError:
                continue
            if name in jar and _is_same(jar[name].value, value):
                return True
        return False

    def is_proof(self, nonce: str, proof: str) -> bool:
        """Whether somebody knows the control secret; good for this port alone."""
        return bool(nonce) and _is_same(proof, self.proof(nonce))

    def proof(self, message: str) -> str:
        """Show that we know it, too."""
        return prove(self._control, self.port, message)


def prove(control: str, port: int, message: str) -> str:
    """Show knowledge of the control secret without telling it: who listens there may be anybody."""
    said = f"anyide {port} {message}".encode()
    return hmac.new(control.encode(), said, hashlib.sha256).hexdigest()


def _is_this_machine(name: str) -> bool:
    # An address cannot be rebound, as a name of somebody else's can.
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        ours = socket.gethostname().lower()
        return name in (ours, f"{ours}.local", f"{ours.partition('.')[0]}.local")
    return True


def _is_same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode(errors="replace"), secret.encode())
