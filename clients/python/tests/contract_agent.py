"""A contract agent as a process, which stories kill: `contract_agent.py PART`. It prints `started` when its tool
starts, and its outcome at the end. A line on its standard input lets a held tool go."""

import sys
import threading
from pathlib import Path

from contract_clients import CLIENTS, StoryTool, call_tool
from countersign import read_json, write_json

part = read_json(sys.argv[1])
step = part["step"]
tool = StoryTool(Path(part["runs"]), step.get("returns", '"done"'), step.get("fails"), step.get("holds", False))


def report_start() -> None:
    tool.started.wait()
    print("started", flush=True)
    if sys.stdin.readline():
        tool.released.set()


threading.Thread(target=report_start, daemon=True).start()
client = CLIENTS[part["client"]](part["url"], part["token"])
print(write_json(call_tool(client, tool, step)), flush=True)
