"""Plays the contract stories: see tests/contract/README.md. An unknown word in a story is a failure."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from contract_clients import CLIENTS, StoryTool, call_tool, outcome_of
from contract_expectations import check_outcome, shorten
from contract_network import STEP_SECONDS, FaultyNetwork, error_answer
from countersign import Gate, read_json, write_json
from server import ServerUnderTest

AGENT = Path(__file__).parent / "contract_agent.py"
PEOPLE = ("builder", "tester", "ada", "bob", "stranger")
CALL_TOOL_FIELDS = {"call", "tool", "arguments", "returns", "fails", "holds", "expires_in", "timeout_ms", "withdraw", "lease_seconds"}


class StoryTask:
    """A step that runs beside the others: in a thread, or as a process."""

    def __init__(self, work: Callable[[], dict[str, Any]], tool: StoryTool | None) -> None:
        self.tool = tool
        self.outcome: dict[str, Any] | None = None
        self._failure: BaseException | None = None

        def run() -> None:
            try:
                self.outcome = work()
            except BaseException as error:
                self._failure = error

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()

    def end(self) -> dict[str, Any]:
        self._thread.join(STEP_SECONDS)
        if self._failure is not None:
            raise self._failure
        assert self.outcome is not None, "the task does not end"
        return self.outcome

    def await_run(self) -> None:
        assert self.tool is not None and self.tool.started.wait(STEP_SECONDS), "the tool does not start"

    def let_go(self) -> None:
        assert self.tool is not None
        self.tool.released.set()

    def kill(self) -> None:
        raise AssertionError("only a process can be killed")

    def abandon(self) -> None:
        """Ends what a story that failed has left."""
        if self.tool is not None:
            self.tool.released.set()


class StoryProcess(StoryTask):
    """A step in a process of its own."""

    def __init__(self, part: dict[str, Any], env: dict[str, str]) -> None:
        command = [sys.executable, str(AGENT), write_json(part)]
        env = {**env, "PYTHONPATH": ":".join(sys.path)}
        self._process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._started = threading.Event()
        super().__init__(self._read_output, None)

    def _read_output(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        last = "{}"
        for line in self._process.stdout:
            if line == "started\n":
                self._started.set()
            else:
                last = line
        outcome: dict[str, Any] = read_json(last)
        return outcome

    def await_run(self) -> None:
        assert self._started.wait(STEP_SECONDS), "the tool does not start"

    def let_go(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        self._process.kill()
        self.end()

    def abandon(self) -> None:
        self._process.kill()
        self._process.communicate()

    def end(self) -> dict[str, Any]:
        outcome = super().end()
        self._process.communicate()
        return outcome


class StoryPlayer:
    """One play of one story over one client."""

    def __init__(self, story: dict[str, Any], client: str) -> None:
        self.steps = story["steps"]
        unknown = set(story) - {"name", "policy", "max_body", "without", "steps"}
        assert not unknown, f"unknown fields of the story: {unknown}"
        self.client_kind = client
        self.server = ServerUnderTest("\n".join(story.get("policy", [])), max_body=story.get("max_body"))
        self.network = FaultyNetwork()
        self.network.target = self.server.port()
        self.runs = self.server.folder / "runs"
        self.clients: dict[str, Any] = {}
        self.seen: dict[tuple[str, str], dict[str, Any]] = {}
        self.tasks: dict[str, StoryTask] = {}
        self.ended: set[str] = set()
        self.streams: dict[str, tuple[Any, Callable[[], Any], list[int]]] = {}
        self.log = Gate(self.server.url, self.server.tokens["ada"])

    def play(self) -> None:
        for number, step in enumerate(self.steps):
            try:
                self.take_step(dict(step))
            except Exception as error:
                raise AssertionError(f"step {number + 1}, {json.dumps(step)[:300]}: {error!r}") from error
        assert set(self.tasks) == self.ended, f"tasks that did not end: {set(self.tasks) - self.ended}"
        assert not self.network.unused_faults(), f"unused faults: {self.network.unused_faults()}"
        self.server.command("verify")

    def close(self) -> None:
        for name in set(self.tasks) - self.ended:  # A story that failed leaves some.
            self.tasks[name].abandon()
        for client in self.clients.values():
            client.close()
        self.log.close()
        self.network.close()
        self.server.stop()

    def take_step(self, step: dict[str, Any]) -> None:
        fill = "x" * step.pop("fill", 0)
        if fill:
            step = replace_text(step, fill)
        actor, does = step.pop("actor"), step.pop("does")
        if actor in PEOPLE:
            self.act(actor, does, step)
        else:
            getattr(self, f"{actor}_{does}")(**step)

    # The agents and the approvers.

    def act(self, actor: str, does: str, step: dict[str, Any]) -> None:
        if does in ("follow", "receive", "await_state", "decide_pending"):
            getattr(self, does)(actor, **step)
            return
        expected, task, process = step.pop("expect", {}), step.pop("task", None), step.pop("process", None)
        if does == "call_tool":
            assert set(step) <= CALL_TOOL_FIELDS, f"unknown fields: {set(step) - CALL_TOOL_FIELDS}"
        if process is not None:
            part = {"step": step, "url": self.network.url, "token": self.token(actor), "runs": str(self.runs), "client": self.client_kind}
            self.tasks[process] = StoryProcess(part, self.server.env)
            return
        assert task is None or does == "call_tool", "only call_tool can be a task"
        tool = StoryTool(self.runs, step.get("returns", '"done"'), step.get("fails"), step.get("holds", False))
        client = self.client(actor)

        def work() -> dict[str, Any]:
            if does == "call_tool":
                return call_tool(client, tool, step)
            return outcome_of(lambda: self.operation(actor, client, does, step))

        if task is not None:
            self.tasks[task] = StoryTask(work, tool)
            return
        outcome = work()
        call = outcome.get("call")
        if isinstance(call, dict) and "argumentsHash" in call:
            self.seen[actor, call["id"]] = call
        check_outcome(outcome, expected)

    def operation(self, actor: str, client: Any, does: str, step: dict[str, Any]) -> Any:
        operations: dict[str, Callable[..., Any]] = {
            "propose": self.propose,
            "read": lambda client, call: client.perform("get", call),
            "wait": lambda client, call, timeout_ms=None: client.perform(
                "wait", call, timeout=None if timeout_ms is None else timeout_ms / 1000
            ),
            "claim": lambda client, call, **fields: client.perform("claim", self.see(actor, client, call), **fields),
            "renew": lambda client, call: client.perform("renew", self.see(actor, client, call)),
            "finish": lambda client, call, content, **fields: client.perform(
                "finish", self.see(actor, client, call), read_json(content), **fields
            ),
            "cancel": lambda client, call, **fields: client.perform("cancel", call, **fields),
            "decide": lambda client, call, decision, **fields: client.perform(
                "decide", self.see(actor, client, call), decision, **read_fields(fields, "arguments", "scope")
            ),
            "decide_all": lambda client, decisions: client.perform(
                "decide_all", [{"threadId": "t", "id": call, "decision": decision} for call, decision in decisions]
            ),
            "pending": lambda client: client.perform("pending"),
        }
        return operations[does](client, **step)

    def propose(self, client: Any, call: str, tool: str, arguments: str, **fields: Any) -> Any:
        return client.perform(
            "propose", tool, read_json(arguments), call_id=call, **read_fields(fields, "definition")
        )

    def see(self, actor: str, client: Any, call: str) -> dict[str, Any]:
        """The call as the actor last saw it. An actor who has not seen it reads it first."""
        if (actor, call) not in self.seen:
            self.seen[actor, call] = client.perform("get", call)
        return self.seen[actor, call]

    def await_state(self, actor: str, call: str, state: str) -> None:
        while (found := self.client(actor).perform("get", call)["state"]) != state:
            assert found in ("running", "pending"), found

    def decide_pending(self, actor: str, decision: str) -> None:
        client = self.client(actor)
        (call,) = client.perform("pending")["pending"]
        client.perform("decide", call, decision)

    def follow(self, actor: str, stream: str, types: list[str], after: int | str = 0, after_stream: str | None = None) -> None:
        if after_stream is not None:
            after = self.streams[after_stream][0].cursor
        self.streams[stream] = (*self.client(actor).follow(types=types, after=after), [])

    def receive(self, actor: str, stream: str, events: list[str] | None = None, expect: dict[str, Any] | None = None) -> None:
        _, read_next, seqs = self.streams[stream]
        if expect is not None:
            check_outcome(outcome_of(read_next), expect)
            return
        for expected in events or []:
            event = read_next()
            received = f"{event['type']} {event['data'].get('toolCallId', event['data'].get('id'))}"
            assert received == expected, f"the stream delivers {received}, not {expected}"
            seqs.append(event["seq"])
        assert seqs == sorted(set(seqs)), f"the events are not in order: {seqs}"

    def token(self, name: str) -> str:
        return self.server.tokens.get(name, "csgn_unknown")

    def client(self, name: str) -> Any:
        if name not in self.clients:
            self.clients[name] = CLIENTS[self.client_kind](self.network.url, self.token(name))
        return self.clients[name]

    # The server, the network, the tasks, the tool and the log.

    def server_kill(self) -> None:
        self.server.kill()

    def server_stop(self) -> None:
        self.server.terminate()

    def server_start(self) -> None:
        self.server.start()
        self.network.target = self.server.port()
        self.log = Gate(self.server.url, self.server.tokens["ada"])

    def network_lose_answer(self, to: str, times: int = 1) -> None:
        self.network.plan("lose_answer", to, times)

    def network_lose_request(self, to: str, times: int = 1) -> None:
        self.network.plan("lose_request", to, times)

    def network_answer(self, to: str, status: int, times: int = 1, code: str | None = None, **fields: Any) -> None:
        self.network.plan("answer", to, times, error_answer(status, code, **fields))

    def network_await_request(self, to: str, times: int = 1) -> None:
        self.network.await_requests(to, times)

    def network_count_requests(self, to: str, requests: int, pause_at_least_ms: int = 0) -> None:
        times = self.network.arrivals(to)
        assert len(times) == requests, f"{len(times)} requests"
        if pause_at_least_ms:
            assert (times[-1] - times[-2]) * 1000 >= pause_at_least_ms, times

    def task_end(self, task: str, expect: dict[str, Any] | None = None) -> None:
        self.ended.add(task)
        check_outcome(self.tasks[task].end(), expect or {})

    def task_kill(self, task: str) -> None:
        self.ended.add(task)
        self.tasks[task].kill()

    def task_await_run(self, task: str) -> None:
        self.tasks[task].await_run()

    def task_let_go(self, task: str) -> None:
        self.tasks[task].let_go()

    def tool_show_runs(self, runs: list[str]) -> None:
        ran = self.runs.read_text("utf-8").split("\n")[:-1] if self.runs.exists() else []
        assert ran == runs, f"the tool ran with {shorten(ran)}, not with {shorten(runs)}"

    def log_count(self, events: dict[str, int]) -> None:
        page = self.log.events(limit=1000)
        counts = Counter(event["type"] for event in page["events"] if event["threadId"] == "t")
        assert counts == events, f"the log has {dict(counts)}"


def replace_text(value: Any, fill: str) -> Any:
    if isinstance(value, str):
        return value.replace("FILL", fill)
    if isinstance(value, list):
        return [replace_text(part, fill) for part in value]
    return {name: replace_text(part, fill) for name, part in value.items()} if isinstance(value, dict) else value


def read_fields(fields: dict[str, Any], *names: str) -> dict[str, Any]:
    """The fields, of which those with JSON text are read."""
    return {name: read_json(value) if name in names else value for name, value in fields.items()}
