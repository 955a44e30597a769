"""The program on the first page of the documentation."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Callable

import pytest
from server import ServerUnderTest

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/README.md"


@pytest.mark.parametrize(("decision", "printed"), [("allow_once", "deployed shop"), ("deny", "Denied by user:ada: not today")])
def test_program_of_the_first_page_runs(
    server: ServerUnderTest, tmp_path: pathlib.Path, decide_next: Callable[..., None], decision: str, printed: str,
    request: pytest.FixtureRequest,
) -> None:
    found = re.search(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None, "the page has no program in Python"
    program = tmp_path / "deploy.py"
    program.write_text(found.group(1), encoding="utf-8")
    decide_next(decision, **({"comment": "not today"} if decision == "deny" else {}))
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(tmp_path), "COUNTERSIGN_SERVER": server.url,
        "COUNTERSIGN_TOKEN": server.agent, "COUNTERSIGN_THREAD": request.node.name,
    }
    done = subprocess.run(
        [sys.executable, str(program)], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    assert printed in done.stdout
    assert done.stderr.startswith("countersign: a call waits for a decision: http://countersign.localhost:")
