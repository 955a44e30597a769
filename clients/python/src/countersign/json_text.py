"""Reads and writes JSON without changing a number.

Integers of any size stay exact. A number with a fraction or an exponent becomes a ``float`` if the ``float`` has the same
value in decimal digits, and a ``Decimal`` otherwise. So ``0.1`` is a ``float``, and ``12345678901234567890.5`` is a ``Decimal``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any

MAX_DEPTH = 256
"""The server refuses values that are nested deeper."""


def read_number(text: str) -> float | Decimal:
    """Reads a number with a fraction or an exponent."""
    exact = Decimal(text)
    near = float(text)
    if math.isfinite(near) and Decimal(repr(near)) == exact:
        return near
    return exact


def _read_integer(text: str) -> int | Decimal:
    try:
        return int(text)
    except ValueError:  # Python converts at most 4,300 digits.
        return Decimal(text)


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


def _read_object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(members)
    if len(value) != len(members):
        raise ValueError("an object has a key twice")
    return value


def read_json(text: str | bytes) -> Any:
    """Reads a JSON text. Raises ``ValueError`` if it is not JSON, or if an object has a key twice: another reader might take
    the other value."""
    try:
        return json.loads(
            text,
            object_pairs_hook=_read_object,
            parse_float=read_number,
            parse_int=_read_integer,
            parse_constant=_refuse_constant,
        )
    except RecursionError:
        raise ValueError("the JSON text is nested too deeply") from None
    except ArithmeticError:
        raise ValueError("the JSON text has a number that is too large") from None


def write_json(value: object, default: Callable[[object], object] | None = None) -> str:
    """Writes a value as JSON without blanks. ``default`` turns an object of another type into a JSON value.

    Raises ``ValueError`` for a number that is not finite, a string that is not Unicode, a value that contains itself, and
    ``TypeError`` for a type that JSON does not have.
    """
    parts: list[str] = []
    _write(value, parts.append, default, "", 0)
    text = "".join(parts)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"a text is not valid Unicode: {error.reason}") from None
    return text


def _write(
    value: object,
    out: Callable[[str], object],
    default: Callable[[object], object] | None,
    path: str,
    depth: int,
) -> None:
    if depth > MAX_DEPTH:
        raise ValueError(f"the value is nested deeper than {MAX_DEPTH} levels, or contains itself")
    if value is None:
        out("null")
    elif isinstance(value, bool):
        out("true" if value else "false")
    elif isinstance(value, str):
        out(encode_basestring(value))
    elif isinstance(value, int):
        out(_integer_text(value))
    elif isinstance(value, (float, Decimal)):
        out(_number_text(value, path))
    elif isinstance(value, Mapping):
        _write_object(value, out, default, path, depth)
    elif isinstance(value, (list, tuple)):
        out("[")
        for index, item in enumerate(value):
            if index:
                out(",")
            _write(item, out, default, f"{path}/{index}", depth + 1)
        out("]")
    elif default is not None:
        _write(default(value), out, None, path, depth)
    else:
        raise TypeError(f"a value of the type {type(value).__name__} is not JSON{_place(path)}")


def _write_object(
    value: Mapping[object, object],
    out: Callable[[str], object],
    default: Callable[[object], object] | None,
    path: str,
    depth: int,
) -> None:
    out("{")
    for index, (key, item) in enumerate(value.items()):
        if not isinstance(key, str):
            raise TypeError(f"the key {key!r} of an object is not a string{_place(path)}")
        if index:
            out(",")
        out(encode_basestring(key))
        out(":")
        _write(item, out, default, f"{path}/{key}", depth + 1)
    out("}")


def _integer_text(value: int) -> str:
    try:
        return int.__repr__(value)
    except ValueError:  # Python converts at most 4,300 digits.
        raise ValueError("an integer has more than 4,300 digits") from None


def _number_text(value: float | Decimal, path: str) -> str:
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is not a JSON number{_place(path)}")
        return str(value)
    if not math.isfinite(value):
        raise ValueError(f"{value!r} is not a JSON number{_place(path)}")
    return float.__repr__(value)


def _place(path: str) -> str:
    return f" (at {path})" if path else ""
