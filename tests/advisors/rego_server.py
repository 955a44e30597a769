"""The part of the REST API of the Open Policy Agent that an advisor uses, over an interpreter of Rego."""

import json
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from regopy import Interpreter

PREFIX = "/v1/data/"


def evaluate(rego: str, path: str, document: object) -> dict[str, object]:
    """The document at a path: `{}` if it is undefined."""
    interpreter = Interpreter()
    interpreter.add_module("example", rego)
    interpreter.set_input(document)
    found = str(interpreter.query("x = data." + path.replace("/", ".")))
    return {} if found == "undefined" else {"result": json.loads(found)["bindings"]["x"]}


def start(rego: Path) -> ThreadingHTTPServer:
    """A server on a free port. `serve_forever` runs it."""
    text = rego.read_text()

    class DataApi(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # noqa: N802
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            path = self.path.removeprefix(PREFIX)
            answer = {"decision_id": str(uuid.uuid4()), **evaluate(text, path, body["input"])}
            encoded = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(encoded)))
            self.end_headers()
            self.wfile.write(encoded)

        def log_message(self, *_: object) -> None:
            pass

    return ThreadingHTTPServer(("127.0.0.1", 0), DataApi)
