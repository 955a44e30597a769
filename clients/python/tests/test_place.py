"""Calls carry their place, and an approval stays there: two programs that make the same calls, and call handles."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from countersign import CountersignError, DeniedError, Gate, StillPendingError
from server import ServerUnderTest

Decide = Callable[..., None]

PROGRAM = """
import random, sys
from countersign import DeniedError, Gate, requires_approval

seed, calls = int(sys.argv[1]), int(sys.argv[2])
random.seed(seed)

@requires_approval(Gate(), name="deploy")
def deploy(service):
    with open(__file__ + ".runs", "a") as runs:
        runs.write(service + "\\n")

for _ in range(calls):
    try:
        deploy(f"shop-{random.randrange(8)}")
    except DeniedError:
        pass
print("done", flush=True)
"""


def start_program(path: Path, server: ServerUnderTest, seed: int, calls: int) -> subprocess.Popen[str]:
    env = {
        "PATH": os.environ["PATH"],
        "COUNTERSIGN_SERVER": server.url,
        "COUNTERSIGN_TOKEN": server.agent,
        "COUNTERSIGN_THREAD": "shared",
    }
    command = [sys.executable, str(path), str(seed), str(calls)]
    return subprocess.Popen(command, env=env, cwd=path.parent, stdout=subprocess.PIPE, text=True)


def allow_staging_only(approver: Gate, stopped: threading.Event) -> None:
    """Allows the calls that show the staging program, also for the session, and denies production calls."""
    numbers = random.Random(5)
    with approver.stream(types=["TOOL_APPROVAL_REQUEST"], thread=None) as events:
        for _ in events:
            for call in approver.pending(thread="shared")["pending"]:
                place = call.get("place") or {}
                is_staging = str(place.get("program")).endswith("staging.py")
                decision: Any = "deny" if not is_staging else numbers.choice(["allow_once", "allow_session"])
                scope = numbers.choice(["exact", "tool"]) if decision == "allow_session" else None
                try:
                    approver.decide(call, decision, scope=scope)
                except CountersignError:
                    continue  # A grant has answered it meanwhile, or its program was killed.
            if stopped.is_set():
                return


def test_approval_of_one_program_never_runs_another(server: ServerUnderTest, tmp_path: Path) -> None:
    """The programs make the same calls in one thread, and are killed and started again."""
    paths = {name: tmp_path / f"{name}.py" for name in ("staging", "production")}
    for path in paths.values():
        path.write_text(PROGRAM)
    stopped = threading.Event()
    with Gate(server.url, server.approver) as approver:
        decider = threading.Thread(target=allow_staging_only, args=(approver, stopped), daemon=True)
        decider.start()
        numbers = random.Random(3)
        for seed in range(6):
            running = [start_program(path, server, seed, 20) for path in paths.values()]
            if seed % 2 == 0:
                numbers.choice(running).send_signal(signal.SIGKILL)
            for program in running:
                program.communicate(timeout=60)
        stopped.set()
    runs = {name: Path(f"{path}.runs") for name, path in paths.items()}
    assert not runs["production"].exists(), "no call of production was allowed"
    assert len(runs["staging"].read_text().splitlines()) >= 40


def test_call_names_program_folder_and_host(gate: Gate) -> None:
    call = gate.propose("read_it", {})
    place = call.get("place")
    assert place is not None and place["folder"] == os.getcwd() and place["host"] and place["program"]
    other = gate.propose("read_it", {}, place={"program": "other.py"})
    assert other.get("place") == {"program": "other.py"}


def test_default_thread_belongs_to_program(server: ServerUnderTest) -> None:
    with Gate(server.url, server.agent) as gate, Gate(server.url, server.agent, place={"program": "b.py"}) as other:
        assert gate.core.thread != other.core.thread
        assert other.core.thread.startswith("b-py-")
        with Gate(server.url, server.agent) as again:
            assert again.core.thread == gate.core.thread


def test_reported_difference_is_a_mismatch(gate: Gate) -> None:
    started = gate.begin("read_it", {"path": "a"})
    ended = started.finish("content", ran_arguments={"path": "b"})
    mismatch = ended.get("mismatch")
    assert mismatch is not None and mismatch["arguments"] == {"path": "b"}


def test_begun_call_ends_once(gate: Gate) -> None:
    started = gate.begin("read_it", {"path": "a"}, call_id="call_0", lease_seconds=3)
    assert started.arguments == {"path": "a"}
    assert gate.get("call_0")["state"] == "running"
    assert started.finish({"rows": 2})["state"] == "finished"
    result = started.fail("too late").get("result")
    assert result is not None and (result["status"], result["content"]) == ("success", {"rows": 2})
    again = gate.begin("read_it", {"path": "a"}, call_id="call_0")
    assert (again.ran_before, again.recorded) == (True, {"rows": 2})


def test_begun_call_reports_failure_and_cancellation(gate: Gate) -> None:
    failed = gate.begin("read_it", {}, call_id="call_0").fail(ValueError("no such file"))
    assert failed.get("result", {})["content"] == "ValueError: no such file"  # type: ignore[index]
    cancelled = gate.begin("read_it", {}, call_id="call_1").cancel("the user stopped it")
    assert cancelled.get("result", {})["status"] == "cancelled"  # type: ignore[index]


def test_begun_call_waits_for_people(gate: Gate, decide_next: Decide) -> None:
    with pytest.raises(StillPendingError):
        gate.begin("deploy", {"service": "shop"}, timeout=0.01, withdraw=True)
    decide_next("deny", comment="not now")
    with pytest.raises(DeniedError, match="not now"):
        gate.begin("deploy", {"service": "shop"}, call_id="second")


def test_begun_call_of_async_gate_renews_its_lease(gate: Gate) -> None:
    async def run() -> tuple[Any, Any]:
        started = await gate.as_async().begin("read_it", {}, call_id="call_0", lease_seconds=1)
        events = gate.as_async().stream(types=["TOOL_EXECUTION_RENEWED"], thread=gate.core.thread)
        async with events:
            renewed = await anext(events)
        return renewed, await started.finish("done")

    renewed, ended = asyncio.run(run())
    assert renewed["data"]["toolCallId"] == "call_0"
    assert ended["state"] == "finished"
