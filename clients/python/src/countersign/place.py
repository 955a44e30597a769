"""Where the calls of this program run: an approval holds only there."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import socket
import sys
from collections.abc import Mapping
from typing import cast

from .json_text import write_json
from .types import ProposedPlace

MAX_PROGRAM = 1_000
"""The longest program name, in characters. A place has 4,096 bytes in all."""


def program_place() -> ProposedPlace:
    """The program, the folder in which it started, and the machine."""
    return {"program": program_name(), "folder": os.getcwd(), "host": socket.gethostname()}


def program_name() -> str:
    """The script, or the module of ``python -m``. A launcher that is installed beside Python (uvicorn, celery) runs one of
    many programs, so its arguments belong to the name."""
    spec = getattr(sys.modules.get("__main__"), "__spec__", None)
    script = sys.argv[0] if sys.argv else ""
    if spec is not None and spec.name:
        name = spec.name.removesuffix(".__main__")
    elif not script or script == "-c":
        return "python"
    elif os.path.dirname(os.path.abspath(script)) != os.path.dirname(os.path.abspath(sys.executable)):
        return os.path.abspath(script)[:MAX_PROGRAM]
    else:
        name = os.path.basename(script)
    return printable(shlex.join([name, *sys.argv[1:]]))[:MAX_PROGRAM]


def printable(text: str) -> str:
    """The text without control characters, which a place must not have."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", text)


def thread_of(place: Mapping[str, object]) -> str:
    """The default thread of a program: one for this program in this folder on this machine."""
    shown = re.sub(r"[^A-Za-z0-9_-]+", "-", os.path.basename(str(place.get("program") or "")).partition(" ")[0])
    return f"{shown.strip('-')[:40] or 'python'}-{digest_of(place)[:12]}"


def digest_of(place: Mapping[str, object]) -> str:
    """A hash over the place, for ids and names."""
    return hashlib.sha256(write_json(dict(sorted(place.items()))).encode()).hexdigest()


def checked_place(place: Mapping[str, object] | None) -> ProposedPlace:
    """The place that the caller names, or else this program's."""
    return program_place() if place is None else cast("ProposedPlace", dict(place))
