"""The line on stderr for people whose program waits for a decision."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from urllib.parse import quote, urlsplit

from .settings import ClientSettings

PAGE_HOST = "countersign.localhost"
LOCAL_HOSTS = ("127.0.0.1", "::1", "localhost", "0.0.0.0", "::")
MOST_KNOWN = 1000

_lock = threading.Lock()
_known: OrderedDict[tuple[str, str, str], None] = OrderedDict()


def call_link(server: str, thread: str, call_id: str) -> str | None:
    """The address of a call's page; ``None`` for a server that listens on a socket file."""
    if server.startswith("unix:"):
        return None
    parts = urlsplit(server.rstrip("/"))
    if parts.hostname in LOCAL_HOSTS:
        # The pages of a server on this machine have a host of their own.
        port = "" if parts.port is None else f":{parts.port}"
        parts = parts._replace(netloc=PAGE_HOST + port)
    return f"{parts.geturl()}/calls/{quote(thread, safe='')}/{quote(call_id, safe='')}"


def announce_waiting(settings: ClientSettings, thread: str, call_id: str) -> None:
    """Says once for each call where people decide it, unless ``quiet`` is set."""
    if settings.quiet:
        return
    key = (settings.server, thread, call_id)
    with _lock:
        if key in _known:
            return
        _known[key] = None
        if len(_known) > MOST_KNOWN:
            _known.popitem(last=False)
    link = call_link(settings.server, thread, call_id) or "see `countersign pending`"
    print(f"countersign: a call waits for a decision: {link}", file=sys.stderr, flush=True)
