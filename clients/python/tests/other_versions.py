"""The test server as another version: a real server behind `tests/versions/other_version.py`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from server import ServerUnderTest

PROGRAM = Path(__file__).resolve().parents[3] / "tests/versions/other_version.py"


@contextmanager
def other_version(server: ServerUnderTest, *words: str) -> Iterator[str]:
    """The address of the same server in another version."""
    command = [sys.executable, str(PROGRAM), server.url, *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        yield process.stdout.readline().strip()
        process.stdin.close()
