"""A scripted model instead of the Messages API, on this machine. It needs no key.

Its first answer makes the calls, and the next one ends the turn. Sub-agents and summaries get a short text.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"input_tokens": 1, "output_tokens": 1}


def tool_results(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The blocks after the first tool result: results, and what Claude Code adds to them."""
    blocks = [block for message in messages for block in message["content"] if isinstance(block, dict)]
    kinds = [block.get("type") for block in blocks]
    return blocks[kinds.index("tool_result") :] if "tool_result" in kinds else []


class ScriptedModel:
    """Serves the Messages API. `url` is its address, and `results` has what the model got from its tools."""

    def __init__(self, calls: list[dict[str, Any]]) -> None:
        self.results: list[dict[str, Any]] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *words: Any) -> None: ...

            def do_GET(self) -> None:
                self.reply("application/json", "{}")

            do_HEAD = do_GET

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                if not self.path.startswith("/v1/messages?") and self.path != "/v1/messages":
                    self.reply("application/json", '{"input_tokens": 1}')
                    return
                self.reply("text/event-stream", model.answer(body, calls))

            def reply(self, kind: str, text: str) -> None:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(text.encode())

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def answer(self, body: dict[str, Any], calls: list[dict[str, Any]]) -> str:
        results = tool_results(body["messages"])
        if results:
            self.results = results
        makes_calls = bool(body.get("tools")) and not results
        blocks: list[tuple[dict[str, Any], dict[str, Any]]] = [
            ({"type": "text", "text": ""}, {"type": "text_delta", "text": "The shop is deployed."})
        ]
        if makes_calls:
            blocks = [
                (
                    {"type": "tool_use", "id": call["id"], "name": call["name"], "input": {}},
                    {"type": "input_json_delta", "partial_json": json.dumps(call["arguments"])},
                )
                for call in calls
            ]
        return write_events(blocks, "tool_use" if makes_calls else "end_turn")

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def write_events(blocks: list[tuple[dict[str, Any], dict[str, Any]]], stop_reason: str) -> str:
    empty: dict[str, Any] = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": []}
    message = {**empty, "stop_reason": None, "usage": USAGE}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": message}]
    for index, (block, delta) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    end = {"stop_reason": stop_reason, "stop_sequence": None}
    events += [{"type": "message_delta", "delta": end, "usage": USAGE}, {"type": "message_stop"}]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
