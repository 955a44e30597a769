"""Writes a tool's value or error as result content."""

from __future__ import annotations

import dataclasses
from datetime import date, datetime, time
from enum import Enum
from pathlib import PurePath
from uuid import UUID

from .json_text import write_json

MAX_ERROR_CHARACTERS = 16 * 1024


def plain_value(value: object) -> object:
    """A JSON value for another common type: a Pydantic model, a dataclass, a date, a set. For any other
    type, the object as text."""
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {name: _with_plain_parts(part) for name, part in fields.items()}
    if isinstance(value, (set, frozenset)):
        return [_with_plain_parts(part) for part in value]
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return value.decode(errors="replace")
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (PurePath, UUID)):
        return str(value)
    return str(value)


def _with_plain_parts(value: object) -> object:
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, dict):
        return {str(key): _with_plain_parts(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_with_plain_parts(part) for part in value]
    return plain_value(value)


def result_content(value: object) -> str:
    """The tool's return value as JSON text. A value that JSON cannot hold is converted to a string."""
    try:
        return write_json(value, plain_value)
    except (TypeError, ValueError):
        return write_json(str(value).encode(errors="replace").decode())


def error_content(error: BaseException) -> str:
    """The tool's error as JSON text, for the model and for people who read the log."""
    text = f"{type(error).__name__}: {error}"[:MAX_ERROR_CHARACTERS]
    return write_json(text.encode(errors="replace").decode())
