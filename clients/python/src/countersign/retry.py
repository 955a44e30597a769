"""Repeats a request while the server or its database is unavailable. Only operations that are safe to repeat use it."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable
from typing import TypeVar

from .errors import CountersignError
from .steps import PauseFor, Steps

T = TypeVar("T")

EXECUTION = 120.0
"""The seconds for which a claim and a result are retried: the executor cannot continue without them."""
PROPOSAL = 30.0
"""The seconds for which a proposal is retried."""
INTERACTION = 5.0
"""The seconds for which a decision, a cancellation or a read is retried."""

FIRST_PAUSE, LONGEST_PAUSE, LONGEST_REQUESTED_PAUSE = 0.05, 2.0, 30.0

logger = logging.getLogger("countersign")


def retry(budget: float | None, attempt: Callable[[], Steps[T]]) -> Steps[T]:
    """Repeats ``attempt`` while its error is transient, and never sooner than the server asks for. Gives up after
    ``budget`` seconds with the last error; with ``None``, never."""
    end = None if budget is None else time.monotonic() + budget
    pause = FIRST_PAUSE
    while True:
        try:
            return (yield from attempt())
        except CountersignError as error:
            now = time.monotonic()
            if not error.is_transient or (end is not None and now >= end):
                raise
            wait = max(pause * random.uniform(0.5, 1.0), requested_pause(error))
            if end is not None:
                wait = min(wait, max(end - now, 0.0))
            logger.debug("the log is unavailable, the request is repeated: %s", error)
        yield PauseFor(wait)
        pause = min(pause * 2, LONGEST_PAUSE)


def requested_pause(error: CountersignError) -> float:
    """The pause that the server asks for. A server that is stopping does not count: behind a proxy, the next may be ready."""
    if error.code == "shutting_down":
        return 0.0
    return min(error.retry_after or 0.0, LONGEST_REQUESTED_PAUSE)
