#!/usr/bin/env python3
"""A server of another version: it passes requests to a real server, and rewrites the answers as docs/openapi.json describes them.

    tests/versions/other_version.py SERVER newer [--words NAME,NAME] [--keep WORD,WORD]
    tests/versions/other_version.py SERVER older

`newer` adds a member to every object that a schema describes, and to the body of every event. It also replaces the words of
the enumerations in the members that `--words` names (`all` for every one), but not those that `--keep` names. `older` removes
every optional member but those that say what has happened to a call, because the first version has them.

It prints its address, and ends when its input ends.
"""

from __future__ import annotations

import argparse
import http.client
import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

DOCUMENT = json.loads((Path(__file__).resolve().parents[2] / "docs/openapi.json").read_text(encoding="utf-8"))
NEW_MEMBER, NEW_VALUE = "fromTheFuture", {"words": ["of", "a", "later", "version"]}
NEW_WORD, NEW_EVENT = "future_word", "FUTURE_EVENT"
# What a client of the first version needs to know about a call and a list.
ALWAYS_THERE = {"response", "execution", "result", "request", "next"}
# The request headers of one connection, and those that would let an answer come in a form that is not JSON.
OWN_HEADERS = {"connection", "host", "accept-encoding", "origin", "content-length", "transfer-encoding"}


class SchemaParts:
    """What a schema and the parts that it refers to say together."""

    def __init__(self, schema: Any) -> None:
        self.members: dict[str, Any] = {}
        self.required: set[str] = set()
        self.words: list[str] = []
        self.items: Any = None
        self.others: Any = None
        self._add(schema)

    def _add(self, schema: Any) -> None:
        if not isinstance(schema, dict):
            return
        if reference := schema.get("$ref"):
            self._add(DOCUMENT["components"]["schemas"][reference.rsplit("/", 1)[1]])
        for part in [*schema.get("allOf", []), *schema.get("oneOf", [])]:
            self._add(part)
        self.members |= schema.get("properties", {})
        self.required |= set(schema.get("required", []))
        self.words = schema.get("enum", self.words)
        self.items = schema.get("items", self.items)
        self.others = schema.get("additionalProperties", self.others)


# Their members have no schema, but the words of the members with the same names.
BODIES = {"data", "impact"}
KNOWN_WORDS: dict[str, set[str]] = {}
for named in DOCUMENT["components"]["schemas"].values():
    for member, member_schema in SchemaParts(named).members.items():
        KNOWN_WORDS.setdefault(member, set()).update(SchemaParts(member_schema).words)


class AnswerRewriter:
    """Makes answers of another version."""

    def __init__(self, is_newer: bool, words: set[str], kept: set[str]) -> None:
        self.is_newer, self.words, self.kept = is_newer, words, kept

    def rewrite(self, value: Any, schema: Any, name: str = "") -> Any:
        parts = SchemaParts(schema)
        if isinstance(value, list) and parts.items is not None:
            return [self.rewrite(item, parts.items, name) for item in value]
        if isinstance(value, dict) and parts.members:
            return self._rewrite_object(value, parts)
        if isinstance(value, dict) and isinstance(parts.others, dict):
            return {key: self.rewrite(item, parts.others, key) for key, item in value.items()}
        if isinstance(value, str) and value in parts.words:
            return self._rewrite_word(value, name)
        return value

    def _rewrite_object(self, value: dict[str, Any], parts: SchemaParts) -> dict[str, Any]:
        there = parts.required | ALWAYS_THERE if not self.is_newer else set(parts.members)
        written = {
            name: self.rewrite(item, parts.members.get(name, {}), name) for name, item in value.items() if name in there
        }
        if self.is_newer:
            written[NEW_MEMBER] = NEW_VALUE
            described = ["data"] if {"seq", "type"} <= set(value) else ["impact"]
            written |= {name: self._rewrite_body(value[name], name) for name in described if name in value}
        return written

    def _rewrite_body(self, value: Any, name: str) -> Any:
        if isinstance(value, str) and value in KNOWN_WORDS.get(name, ()):
            return self._rewrite_word(value, name)
        if isinstance(value, dict) and name in BODIES:
            return {key: self._rewrite_body(item, key) for key, item in value.items()} | {NEW_MEMBER: NEW_VALUE}
        return value

    def _rewrite_word(self, value: str, name: str) -> str:
        if not self.is_newer or value in self.kept or not self.words & {"all", name}:
            return value
        return NEW_EVENT if value.isupper() else NEW_WORD


ROUTES = [
    (re.compile(re.sub(r"\\{[^}]*\\}", "[^/]+", re.escape(path))), item)
    for path, item in sorted(DOCUMENT["paths"].items(), key=lambda route: route[0].count("{"))
]


def answer_schema(method: str, path: str, status: int, media_type: str) -> Any:
    """The schema of an answer, or nothing if it is no part of the API."""
    for pattern, item in ROUTES:
        if not pattern.fullmatch(path) or method.lower() not in item:
            continue
        answers = item[method.lower()]["responses"]
        answer = answers.get(str(status), answers.get("default", {}))
        if reference := answer.get("$ref"):
            answer = DOCUMENT["components"]["responses"][reference.rsplit("/", 1)[1]]
        return answer.get("content", {}).get(media_type, {}).get("schema")
    return None


class RequestHandler(BaseHTTPRequestHandler):
    """Passes one request on, and the rewritten answer back."""

    protocol_version = "HTTP/1.1"
    target: str
    rewriter: AnswerRewriter

    def handle_request(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name: value for name, value in self.headers.items() if name.lower() not in OWN_HEADERS}
        # A page of this server is one of the real server's, whose host may have several names.
        own_port, port = f":{self.server.server_address[1]}", f":{self.target.rpartition(':')[2]}"
        headers["host"] = self.headers.get("host", self.target).replace(own_port, port)
        if origin := self.headers.get("origin"):
            headers["origin"] = origin.replace(own_port, port)
        connection = http.client.HTTPConnection(self.target)
        try:
            connection.request(self.command, self.path, body or None, headers)
            self.pass_back(connection.getresponse())
        except (OSError, http.client.HTTPException):
            pass  # One of both sides has gone.
        finally:
            self.close_connection = True
            connection.close()

    do_GET = do_POST = do_PUT = do_DELETE = handle_request

    def pass_back(self, answer: http.client.HTTPResponse) -> None:
        media_type = (answer.getheader("content-type") or "").partition(";")[0]
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in {"connection", "content-length", "transfer-encoding"}:
                self.send_header(name, value)
        self.send_header("connection", "close")
        if media_type == "text/event-stream":
            self.end_headers()
            self.pass_stream(answer)
            return
        content = answer.read()
        schema = answer_schema(self.command, urlsplit(self.path).path, answer.status, media_type)
        if schema is not None and media_type in ("application/json", "application/problem+json"):
            content = json.dumps(self.rewriter.rewrite(json.loads(content), schema)).encode()
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def pass_stream(self, answer: http.client.HTTPResponse) -> None:
        """Passes each message when it is complete, because its type is in two lines."""
        lines: list[str] = []
        while line := answer.readline().decode():
            if line.strip():
                lines.append(line)
                continue
            self.wfile.write("".join(self.rewrite_message(lines)).encode() + b"\n")
            self.wfile.flush()
            lines = []

    def rewrite_message(self, lines: list[str]) -> list[str]:
        data = next((line.removeprefix("data: ") for line in lines if line.startswith("data: {")), None)
        if data is None or "event: error\n" in lines:
            return lines
        event = self.rewriter.rewrite(json.loads(data), {"$ref": "#/components/schemas/Event"})
        written = {"event:": f"event: {event['type']}\n", "data:": f"data: {json.dumps(event)}\n"}
        return [written.get(line.partition(" ")[0], line) for line in lines]

    def log_message(self, *words: Any) -> None:
        pass


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("version", choices=["newer", "older"])
    parser.add_argument("--words", default="")
    parser.add_argument("--keep", default="")
    options = parser.parse_args()
    RequestHandler.target = urlsplit(options.server).netloc
    RequestHandler.rewriter = AnswerRewriter(
        options.version == "newer", set(options.words.split(",")) - {""}, set(options.keep.split(","))
    )
    server = ThreadingHTTPServer(("127.0.0.1", 0), RequestHandler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
