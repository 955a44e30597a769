"""Chooses the call id if the caller gives none, and finds the call of an earlier process that was killed.

The id starts with a hash of place, tool and arguments: the same call by another program is another call. The first such call of a process looks for a call with the same
prefix that is still open, and resumes it.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections.abc import Mapping

from . import operations as ops
from .errors import CountersignError
from .json_text import write_json
from .steps import Steps

LOOK_BACK = 100
"""How many of the thread's last calls of the tool to search for a call to resume."""
OPEN_STATES = ("pending", "allowed", "running", "unknown")


def sorted_members(value: object) -> object:
    """The value with the members of its objects in one order."""
    if isinstance(value, Mapping):
        return {key: sorted_members(value[key]) for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [sorted_members(item) for item in value]
    return value


def id_prefix(place: Mapping[str, object], name: str, arguments: object) -> str:
    """The id prefix for calls of this tool with these arguments in this place."""
    text = write_json([sorted_members(place), name, sorted_members(arguments)])
    return f"call_{hashlib.sha256(text.encode()).hexdigest()[:24]}_"


class CallRegister:
    """This process's calls without an id of their own, and the calls of earlier processes that it may resume."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._resumable: dict[tuple[str, str], list[str]] = {}
        self._mine: set[tuple[str, str]] = set()

    def choose_id(self, thread: str, name: str, prefix: str) -> Steps[str]:
        """Returns the id of an open call to resume, or a new id. It starts with ``prefix``."""
        key = (thread, prefix)
        if key not in self._resumable:
            found = yield from find_open_calls(thread, name, prefix)
            with self._lock:
                # A call that another thread of this process has made meanwhile is not to resume.
                self._resumable.setdefault(key, [one for one in found if (thread, one) not in self._mine])
        with self._lock:
            resumable = self._resumable[key]
            chosen = resumable.pop(0) if resumable else prefix + secrets.token_hex(8)
            self._mine.add((thread, chosen))
        return chosen

    def forget_id(self, thread: str, call_id: str, waits_on: str | None = None) -> None:
        """Notes that the call has ended for this process. With ``waits_on``, a waiting call's prefix, the next
        identical call resumes it."""
        with self._lock:
            self._mine.discard((thread, call_id))
            if waits_on is not None:
                self._resumable.setdefault((thread, waits_on), []).append(call_id)


def find_open_calls(thread: str, name: str, prefix: str) -> Steps[list[str]]:
    """The thread's open calls whose id starts with ``prefix``, the oldest first."""
    try:
        page = yield from ops.calls(thread, ops.list_query(tool=name, limit=LOOK_BACK))
    except CountersignError as error:
        if error.code in ("unknown_thread", "unknown_tool"):
            return []
        raise
    found = [call["id"] for call in page["calls"] if call["state"] in OPEN_STATES]
    return [call_id for call_id in reversed(found) if call_id.startswith(prefix)]
