"""Where the server is, and who the caller is: from arguments, and from the same variables as the program ``countersign``."""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .place import checked_place, program_place
from .replies import make_error

DEFAULT_SERVER = "http://127.0.0.1:7878"

VERSION = "0.1.0"
"""The version of this package, which `countersign status` shows."""


@dataclass(frozen=True)
class ClientSettings:
    """Client settings. ``from_environment`` reads those that are absent."""

    server: str
    """``http://host:port``, ``https://host``, or ``unix:`` and a socket path."""
    token: str | None = field(default=None, repr=False)
    """The caller's token. Only a server in solo mode accepts callers without one."""
    thread: str | None = None
    """The thread of calls that name none. Without it, one for this program in this folder on this machine."""
    place: Mapping[str, Any] = field(default_factory=program_place)
    """Where the calls run. People see it, and an approval holds only there."""
    timeout: float = 30.0
    """The seconds to wait for the answer to one request. Waits for a decision have their own limit."""
    tls_ca: str | None = None
    """A file with the only certificate authorities to trust (PEM), instead of the system's."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Further headers of each request, as a proxy before the server may need them."""
    quiet: bool = False
    """True to print no line when a call waits for a decision."""

    @classmethod
    def from_environment(
        cls,
        server: str | None = None,
        token: str | None = None,
        *,
        thread: str | None = None,
        place: Mapping[str, Any] | None = None,
        timeout: float = 30.0,
        tls_ca: str | None = None,
        headers: Mapping[str, str] | None = None,
        quiet: bool | None = None,
    ) -> ClientSettings:
        """Completes the arguments with ``COUNTERSIGN_SERVER``, ``COUNTERSIGN_TOKEN``, ``COUNTERSIGN_TOKEN_FILE``,
        ``COUNTERSIGN_TLS_CA``, ``COUNTERSIGN_THREAD`` and ``COUNTERSIGN_QUIET``. An empty variable is treated as unset."""
        server = server or os.environ.get("COUNTERSIGN_SERVER") or DEFAULT_SERVER
        return cls(
            server=server,
            token=check_token(token or read_token()),
            thread=thread or os.environ.get("COUNTERSIGN_THREAD") or None,
            place=checked_place(place),
            timeout=timeout,
            tls_ca=tls_ca or os.environ.get("COUNTERSIGN_TLS_CA") or None,
            headers=dict(headers or {}),
            quiet=bool(os.environ.get("COUNTERSIGN_QUIET")) if quiet is None else quiet,
        )

    @property
    def base_url(self) -> str:
        """The base URL for requests. For a socket, its host is a dummy."""
        if self.socket is not None:
            return "http://localhost"
        parts = urlsplit(self.server)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            shown = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
            raise make_error(
                "bad_url",
                f"{shown!r} is not the address of a server; use an address such as {DEFAULT_SERVER} "
                "or unix:/run/countersign.sock",
            )
        return self.server.rstrip("/")

    @property
    def socket(self) -> str | None:
        """The server's socket path, if it has one."""
        return self.server.removeprefix("unix:") if self.server.startswith("unix:") else None

    def request_headers(self) -> dict[str, str]:
        """The headers of every request."""
        token = {} if self.token is None else {"authorization": f"Bearer {self.token}"}
        return {"accept": "application/json", "user-agent": f"countersign-python/{VERSION}", **self.headers, **token}

    def verify(self) -> ssl.SSLContext | bool:
        """The certificate authorities to trust: the system's, or those in the file."""
        if not self.base_url.startswith("https:"):
            return False
        try:
            return ssl.create_default_context(cafile=self.tls_ca)
        except (OSError, ssl.SSLError) as error:
            raise make_error("bad_url", f"the authorities in {self.tls_ca} cannot be read: {error}") from error


def read_token() -> str | None:
    """The token in ``COUNTERSIGN_TOKEN_FILE``, or else in ``COUNTERSIGN_TOKEN``."""
    path = os.environ.get("COUNTERSIGN_TOKEN_FILE")
    if not path:
        return os.environ.get("COUNTERSIGN_TOKEN") or None
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise make_error("unauthenticated", f"the token in {path} cannot be read: {error}") from error


def check_token(token: str | None) -> str | None:
    token = token.strip() if token is not None else None
    if token is not None and not (token.isascii() and token.isprintable() and " " not in token and token):
        raise make_error("unauthenticated", "the token has characters that no token has")
    return token
