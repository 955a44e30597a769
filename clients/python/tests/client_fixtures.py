"""The test server, with an agent client and an approver client. Several test suites use it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from countersign import Gate
from server import ServerUnderTest

POLICY = """
[[rule]]
name = "no-wipe"
tool = "wipe*"
verdict = "block"
reason = "wiping is forbidden"

[[rule]]
name = "reads"
tool = "read*"
verdict = "allow"
"""


@pytest.fixture(scope="session")
def server() -> Iterator[ServerUnderTest]:
    server = ServerUnderTest(POLICY)
    yield server
    server.stop()


@pytest.fixture
def gate(server: ServerUnderTest, request: pytest.FixtureRequest) -> Iterator[Gate]:
    """The agent's client, with a thread of its own for each test."""
    with Gate(server.url, server.agent, thread=request.node.name) as gate:
        yield gate


@pytest.fixture
def approver(server: ServerUnderTest, request: pytest.FixtureRequest) -> Iterator[Gate]:
    with Gate(server.url, server.approver, thread=request.node.name) as gate:
        yield gate


@pytest.fixture
def decide_next(approver: Gate) -> Iterator[Callable[..., None]]:
    """Decides the thread's next call in the background, as soon as it is asked."""
    threads: list[threading.Thread] = []
    failures: list[BaseException] = []

    def decide(decision: Any, **fields: Any) -> None:
        def wait_and_decide() -> None:
            try:
                with approver.stream(types=["TOOL_APPROVAL_REQUEST"], thread=None) as events:
                    for event in events:
                        if event["threadId"] != approver.core.thread:
                            continue
                        call = approver.get(event["data"]["toolCallId"])
                        if call["state"] == "pending":
                            approver.decide(call, decision, **fields)
                            return
            except BaseException as error:
                failures.append(error)

        thread = threading.Thread(target=wait_and_decide, daemon=True)
        thread.start()
        threads.append(thread)

    yield decide
    for thread in threads:
        thread.join(timeout=30)
    assert not failures, failures
