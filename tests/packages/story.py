"""One call from its proposal to its result, with the installed program."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from machine import Home, PackageError, require

CALL = {"id": "call_1", "name": "deploy", "arguments": {"service": "shop"}}


class Server:
    """A running service, and a caller's token."""

    def __init__(self, address: str, token: str) -> None:
        self.address = address
        self.token = token

    def send(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        headers = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.address}/v1/{path}", data, headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise PackageError(f"{path}: {error.code} {error.read().decode(errors='replace')}") from None


def play_story(home: Home, command: list[str | Path]) -> None:
    """Starts the service, decides and runs one call, and stops the service."""
    service = json.loads(home.run(*command, "up", "--json", "--listen", "127.0.0.1:0"))
    try:
        decide_call(home, command, service)
    finally:
        home.run(*command, "down")
    # The first process of a namespace inherits the service, so it learns how that ended.
    _, status = os.waitpid(service["pid"], 0)
    require(status == 0, f"the service ended with {os.waitstatus_to_exitcode(status)}")
    require_stopped(service["address"])
    verified = home.run(*command, "verify")
    require("the hash chain is intact" in verified, verified)


def decide_call(home: Home, command: list[str | Path], service: dict[str, Any]) -> None:
    agent_token = Path(service["environment"]["COUNTERSIGN_TOKEN_FILE"]).read_text().strip()
    person_token = home.run(*command, "token", "create", "--name", "ada", "--role", "approver").strip()
    agent, person = Server(service["address"], agent_token), Server(service["address"], person_token)
    call = agent.send("threads/t1/tool-calls", CALL)
    require(call["state"] == "pending", f"the call is {call['state']}, not pending")
    pending = person.send("approvals/pending")["pending"]
    require([one["id"] for one in pending] == ["call_1"], f"these calls are pending: {pending}")
    call = person.send("threads/t1/approvals/call_1", {"decision": "allow_once", "comment": "go ahead"})
    require(call["response"]["principal"] == "user:ada", f"the decision is of {call['response']}")
    claim = {"executor": "packages", "argumentsHash": call["argumentsHash"]}
    call = agent.send("threads/t1/tool-calls/call_1/claim", claim)
    require(call["arguments"] == CALL["arguments"], f"the claim has {call['arguments']}")
    call = agent.send("threads/t1/tool-calls/call_1/result", {"status": "success", "content": "deployed"})
    require(call["state"] == "finished", f"the call is {call['state']}, not finished")


def require_stopped(address: str) -> None:
    try:
        urllib.request.urlopen(f"{address}/healthz", timeout=30)
    except urllib.error.URLError:
        return
    raise PackageError(f"{address} still answers after `down`")
