"""The programs on the first pages: saved as files and started with one command, in an empty folder with the installed package."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Callable

import pytest
from server import ServerUnderTest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGES = ["README.md", "docs/README.md", "docs/guides/python.md", "clients/python/README.md"]


def start_first_sample(page: str, folder: pathlib.Path, server: ServerUnderTest, thread: str) -> subprocess.CompletedProcess[str]:
    found = re.search(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert found is not None, "the page has no program in Python"
    (folder / "deploy.py").write_text(found.group(1), encoding="utf-8")
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "COUNTERSIGN_SERVER": server.url,
        "COUNTERSIGN_TOKEN": server.agent, "COUNTERSIGN_THREAD": thread,
    }
    return subprocess.run(
        [sys.executable, "deploy.py"], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=True
    )


@pytest.mark.parametrize("page", PAGES)
def test_first_sample_runs_in_an_empty_folder(
    page: str, server: ServerUnderTest, tmp_path: pathlib.Path, decide_next: Callable[..., None], request: pytest.FixtureRequest
) -> None:
    decide_next("allow_once")
    assert start_first_sample(page, tmp_path, server, request.node.name).stdout == "deployed shop\n"


@pytest.mark.parametrize(("decision", "printed"), [("allow_once", "deployed shop"), ("deny", "Denied by user:ada: not today")])
def test_program_of_the_first_page_runs(
    server: ServerUnderTest, tmp_path: pathlib.Path, decide_next: Callable[..., None], decision: str, printed: str,
    request: pytest.FixtureRequest,
) -> None:
    decide_next(decision, **({"comment": "not today"} if decision == "deny" else {}))
    done = start_first_sample("docs/README.md", tmp_path, server, request.node.name)
    assert printed in done.stdout
    assert done.stderr.startswith("countersign: a call waits for a decision: http://countersign.localhost:")
