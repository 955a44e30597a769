"""The tools of all drivers, and the calls that the scripted models make."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ScriptedCall:
    """A call that the scripted model makes."""

    id: str
    name: str
    arguments: dict[str, Any]


RUNS: list[str] = []
"""The tools that ran in this process."""
meeting: threading.Barrier | None = None
"""If set, each deployment waits here for the others, so that it ends only if they run at the same time."""


def note_run(text: str) -> None:
    RUNS.append(text)
    if path := os.environ.get("TEST_RUNS"):
        with open(path, "a") as runs:
            runs.write(text + "\n")


def deploy(service: str, replicas: int = 3) -> str:
    """Deploys a service."""
    note_run(f"deploy {service} {replicas}")
    if os.environ.get("TEST_CRASH"):
        os._exit(9)
    return f"deployed {service} with {replicas} replicas"


def read_log(name: str) -> str:
    """Reads a log."""
    note_run(f"read {name}")
    if meeting is not None:
        meeting.wait(30)
    return f"the log {name} is empty"


def read_broken(name: str) -> str:
    """Reads a log that does not exist."""
    raise ValueError(f"there is no log {name}")


def read_slowly(name: str) -> str:
    """Reads a log for two seconds."""
    end = time.monotonic() + 2
    while time.monotonic() < end:
        threading.Event().wait(0.1)
    return name


def wipe_disk(disk: str) -> str:
    """Wipes a disk."""
    raise AssertionError("a blocked call must not run")


TOOLS: list[Callable[..., str]] = [deploy, read_log, read_broken, read_slowly, wipe_disk]
