#!/usr/bin/env python3
"""A program in the place of Claude Code: it speaks its control protocol on standard input and output, with a scripted model.

It makes the calls in the variable SCRIPTED_CALLS, one after the other, as Claude Code does: the hook PreToolUse, the permission
if a hook asks for it, the tool, and the hook PostToolUse or PostToolUseFailure. It runs `Bash`, and tools of SDK MCP servers.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from typing import Any

SESSION = os.environ.get("SCRIPTED_SESSION") or str(uuid.uuid4())
hooks: dict[str, list[str]] = {}
servers: set[str] = set()


def write(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def request(body: dict[str, Any]) -> dict[str, Any]:
    """Sends a request to the SDK and returns its answer. A callback error is also an answer."""
    request_id = str(uuid.uuid4())
    write({"type": "control_request", "request_id": request_id, "request": body})
    while True:
        message = read()
        if message.get("type") == "control_response" and message["response"]["request_id"] == request_id:
            response = message["response"]
            return response.get("response") or {"error": response.get("error")}


def read() -> dict[str, Any]:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    message: dict[str, Any] = json.loads(line)
    return message


def run_hooks(event: str, fields: dict[str, Any], tool_use_id: str | None) -> list[dict[str, Any]]:
    base = {"session_id": SESSION, "transcript_path": "", "cwd": os.getcwd(), "hook_event_name": event}
    answers = []
    for callback in hooks.get(event, []):
        body = {"subtype": "hook_callback", "callback_id": callback, "input": {**base, **fields}, "tool_use_id": tool_use_id}
        answers.append(request(body).get("hookSpecificOutput") or {})
    return answers


def call_server(server: str, method: str, parameters: dict[str, Any]) -> Any:
    message = {"jsonrpc": "2.0", "id": str(uuid.uuid4()), "method": method, "params": parameters}
    return request({"subtype": "mcp_message", "server_name": server, "message": message})["mcp_response"].get("result")


def run_tool(name: str, arguments: dict[str, Any]) -> tuple[Any, str, bool]:
    """Returns the response for hooks, the text for the model, and true if the tool failed."""
    if name == "Bash":
        done = subprocess.run(arguments["command"], shell=True, capture_output=True, text=True, check=False)
        if done.returncode:
            return None, f"Exit code {done.returncode}\n{done.stderr}", True
        return {"stdout": done.stdout, "stderr": done.stderr, "interrupted": False}, done.stdout, False
    _, server, tool = name.split("__", 2)
    if server not in servers:
        servers.add(server)
        client = {"name": "scripted", "version": "1"}
        call_server(server, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
    result = call_server(server, "tools/call", {"name": tool, "arguments": arguments})
    text = "\n".join(block.get("text", "") for block in result["content"])
    return result["content"], text, bool(result.get("isError"))


def make_call(call: dict[str, Any]) -> dict[str, Any]:
    """Makes one call, and returns the result for the model."""
    fields = {"tool_name": call["name"], "tool_input": call["arguments"], "tool_use_id": call["id"]}
    answers = run_hooks("PreToolUse", fields, call["id"])
    arguments = call["arguments"]
    if any(answer.get("permissionDecision") == "ask" for answer in answers) or call["name"] == "Bash":
        body = {"subtype": "can_use_tool", "tool_name": call["name"], "input": arguments, "tool_use_id": call["id"]}
        permission = request({**body, "permission_suggestions": []})
        if permission.get("behavior") != "allow":
            text = permission.get("message") or str(permission.get("error"))
            return {"type": "tool_result", "tool_use_id": call["id"], "content": text, "is_error": True}
        arguments = permission["updatedInput"]
    response, text, failed = run_tool(call["name"], arguments)
    fields = {**fields, "tool_input": arguments, **({"error": text} if failed else {"tool_response": response})}
    for answer in run_hooks("PostToolUseFailure" if failed else "PostToolUse", fields, call["id"]):
        text += "\n" + answer["additionalContext"] if "additionalContext" in answer else ""
    return {"type": "tool_result", "tool_use_id": call["id"], "content": text, "is_error": failed}


def say(role: str, content: list[dict[str, Any]]) -> None:
    message = {"id": "m", "type": "message", "role": role, "model": "scripted", "content": content}
    write({"type": role, "message": message, "session_id": SESSION, "parent_tool_use_id": None})


def play_turn(calls: list[dict[str, Any]]) -> None:
    write({"type": "system", "subtype": "init", "session_id": SESSION, "tools": [], "mcp_servers": []})
    for call in calls:
        say("assistant", [{"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["arguments"]}])
    for call in calls:
        say("user", [make_call(call)])
    say("assistant", [{"type": "text", "text": "done"}])
    run_hooks("Stop", {"stop_hook_active": False}, None)
    write(
        {
            "type": "result",
            "subtype": "success",
            "is_error": False,
            "duration_ms": 1,
            "duration_api_ms": 1,
            "num_turns": 2,
            "result": "done",
            "session_id": SESSION,
        }
    )


if "-v" in sys.argv or "--version" in sys.argv:
    print("99.0.0 (scripted)")
    sys.exit(0)
while True:
    incoming = read()
    if incoming.get("type") == "control_request":
        body = incoming["request"]
        for name, matchers in (body.get("hooks") or {}).items():
            hooks[name] = [callback for matcher in matchers for callback in matcher["hookCallbackIds"]]
        answer = {"subtype": "success", "request_id": incoming["request_id"], "response": {"commands": []}}
        write({"type": "control_response", "response": answer})
    elif incoming.get("type") == "user":
        play_turn(json.loads(os.environ["SCRIPTED_CALLS"]))
