"""The Python samples on the pages: those that need only this package run against a server, and all import existing names."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import countersign
import pytest
from countersign import Gate
from page_samples import PageSample, read_samples
from server import ServerUnderTest

POLICY = """
[[rule]]
name = "samples"
tool = ["deploy", "send_email"]
verdict = "allow"
"""
SAMPLES = list(read_samples())
PAGES = {page: list(samples) for page, samples in itertools.groupby(SAMPLES, lambda sample: sample.page)}
OWN_PAGES = [
    page for page, samples in PAGES.items()
    if "/from-" not in page and not any(sample.frameworks for sample in samples)
]
"""The pages whose samples need no framework. Those about another product show a function and not its call."""
INSTALLED_ELSEWHERE = {"agent_framework", "agents", "claude_agent_sdk", "google", "langchain", "langgraph", "mcp", "pydantic_ai"}
"""The packages that the tests of the wrappers install."""
TRIED_BY_HAND = {"smolagents", "temporalio"}
"""The packages that no test of `tests/run` installs."""


class EndOfSampleError(Exception):
    """Ends a sample that follows a stream for ever."""


@pytest.fixture(scope="module")
def allowing_server() -> Iterator[ServerUnderTest]:
    server = ServerUnderTest(POLICY)
    yield server
    server.stop()


def reader_names() -> dict[str, Any]:
    """Names in the reader's own program."""

    def handle(event: Any) -> None:
        raise EndOfSampleError

    call = SimpleNamespace(id="call_of_the_model", arguments={"service": "bank"})
    return {"tool_call": call, "handle": handle, "saved_cursor": "0"}


@pytest.mark.parametrize("page", OWN_PAGES)
def test_samples_of_page_run(
    page: str, allowing_server: ServerUnderTest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in {
        "COUNTERSIGN_SERVER": allowing_server.url, "COUNTERSIGN_TOKEN": allowing_server.agent,
        "COUNTERSIGN_THREAD": page, "APPROVER_TOKEN": allowing_server.approver,
    }.items():
        monkeypatch.setenv(name, value)
    names = reader_names()
    for sample in PAGES[page]:
        try:
            sample.run(names)
        except EndOfSampleError:
            continue
    with Gate(allowing_server.url, allowing_server.approver) as reader:
        states = [call["state"] for call in reader.calls(thread=page)["calls"]]
    assert "finished" in states and set(states) <= {"allowed", "finished"}, states


def defined_names(module: str) -> set[str]:
    """The names at the top of a module of the client. Its framework need not be installed."""
    source = Path(str(countersign.__file__)).parent / f"{module.partition('.')[2] or '__init__'}.py"
    names: set[str] = set()
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(node.name)
            case ast.ImportFrom() | ast.Import():
                names.update(alias.asname or alias.name for alias in node.names)
    return names


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_sample_imports_existing_names(sample: PageSample) -> None:
    unknown = {name.split(".")[0] for name in sample.frameworks} - INSTALLED_ELSEWHERE - TRIED_BY_HAND
    assert not unknown, f"no test installs {unknown}: add the package to tests/frameworks/python"
    for node in sample.imports:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("countersign"):
            assert {alias.name for alias in node.names} <= defined_names(node.module), ast.unparse(node)


def test_pages_have_samples() -> None:
    assert len(SAMPLES) > 20
    assert {"README.md", "docs/README.md", "docs/guides/python.md", "clients/python/README.md"} <= set(OWN_PAGES)
