"""The server, with a policy for the driver tools, and a driver for each framework."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from countersign import Gate
from server import ServerUnderTest

from drivers import NAMES, Driver, load_driver, scripted

pytest_plugins = ["client_fixtures"]

POLICY = """
[[rule]]
name = "no-wipe"
tool = ["wipe*", "mcp__ops__wipe*"]
verdict = "block"
reason = "wiping is forbidden"

[[rule]]
name = "reads"
tool = ["read*", "mcp__ops__read*"]
verdict = "allow"
"""


@pytest.fixture(scope="session")
def server() -> Iterator[ServerUnderTest]:
    server = ServerUnderTest(POLICY)
    yield server
    server.stop()


@pytest.fixture(params=NAMES)
def driver(request: pytest.FixtureRequest) -> Driver:
    return load_driver(request.param)


@pytest.fixture
def conversation(server: ServerUnderTest, request: pytest.FixtureRequest) -> str:
    """The thread for a test: the test name, as for the gates."""
    return str(request.node.name)


@pytest.fixture(autouse=True)
def runs() -> list[str]:
    scripted.RUNS.clear()
    return scripted.RUNS


@pytest.fixture
def reader(server: ServerUnderTest) -> Iterator[Gate]:
    """A gate that names no thread."""
    with Gate(server.url, server.approver) as gate:
        yield gate
