"""Reads the server's answers: JSON, or a problem."""

from __future__ import annotations

import time
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import Any

from .error_codes import ERROR_CLASSES
from .errors import CountersignError
from .json_text import read_json
from .steps import HttpReply

MAX_REPLY_BYTES = 256 * 1024 * 1024
"""A larger answer is not read."""


def make_error(code: str, detail: str, **facts: Any) -> CountersignError:
    """Creates the error for a code, as an object of its class."""
    return ERROR_CLASSES.get(code, CountersignError)(code, detail, **facts)


def problem_error(problem: Any, retry_after: float | None = None) -> CountersignError:
    """Creates the error for a problem document."""
    if not isinstance(problem, dict) or not isinstance(problem.get("code"), str):
        return make_error("strange_server", "the server does not answer as a Countersign server does")
    status = problem.get("status")
    return make_error(
        problem["code"],
        str(problem.get("detail", "")),
        status=status if isinstance(status, int) else None,
        problem=problem,
        retry_after=retry_after,
    )


def read_reply(reply: HttpReply) -> Any:
    """Returns the JSON value of a successful answer. Raises the error of any other."""
    if 200 <= reply.status < 300:
        try:
            return read_json(reply.body)
        except ValueError as error:
            raise make_error("strange_server", f"the answer of the server is not JSON: {error}") from error
    raise reply_error(reply)


def reply_error(reply: HttpReply) -> CountersignError:
    """The error for an answer with a status other than 2xx."""
    try:
        problem = read_json(reply.body)
    except ValueError:
        problem = None
    if isinstance(problem, dict) and isinstance(problem.get("code"), str):
        return problem_error(problem, read_pause(reply))
    if 502 <= reply.status <= 504:
        # A proxy answers with these statuses if the server behind it does not.
        return make_error("unreachable", f"no answer from the server: a proxy answers {reply.status}")
    return make_error(
        "strange_server", f"the server answers {reply.status} without a problem", status=reply.status
    )


def read_pause(reply: HttpReply) -> float | None:
    """The seconds for which ``Retry-After`` asks, as a number or as a date. A date is compared with the ``Date`` of the
    answer, so that clocks which differ do not matter."""
    text = reply.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:10])
    until = read_date(text)
    if until is None:
        return None
    start = read_date(reply.headers.get("date", ""))
    return max(until - (time.time() if start is None else start), 0.0)


def read_date(text: str) -> float | None:
    """The moment of an HTTP date, in seconds since 1970."""
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError):
        return None
    # HTTP dates are in UTC, also in the old form that does not say so.
    return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()
