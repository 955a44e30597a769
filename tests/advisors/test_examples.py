"""The examples in Rego and in Cedar, asked by the real server."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.request
from pathlib import Path

import rego_server

EXAMPLES = Path(__file__).parents[2] / "examples" / "advisors"

QUESTIONS = [
    {"command": "make test"},
    {"command": "rm -r build"},
    {"command": "make", "environment": "production"},
    {"command": "make\u202e"},
]


def policy_of(name: str, *words: str) -> str:
    """A policy that asks an example, which runs with the packages of these tests."""
    command = json.dumps([sys.executable, str(EXAMPLES / name), *words])
    return f'[[advisor]]\nname = "example"\ncommand = {command}\ntimeout = "60s"\n'


class Server:
    """`countersign serve` over a new log, in which each caller may do everything."""

    def __init__(self, folder: Path, policy: str) -> None:
        (folder / "policy.toml").write_text(policy)
        words = ["--database", "log.db", "--json", "serve", "--solo", "--listen", "127.0.0.1:0", "--policy", "policy.toml", "--advisor-commands"]
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
        program = [os.environ["COUNTERSIGN_PROGRAM"], *words]
        self.process = subprocess.Popen(program, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = json.loads(self.process.stdout.readline())["listening"]

    def stop(self) -> None:
        self.process.terminate()
        self.process.communicate()

    def proposes(self, call: str, arguments: object) -> None:
        body = json.dumps({"id": call, "name": "bash", "arguments": arguments}).encode()
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(f"{self.url}/v1/threads/t/tool-calls", body, headers)
        urllib.request.urlopen(request).close()

    def next_advice(self, stream: object) -> dict[str, object]:
        for line in stream:
            if line.startswith(b"data: "):
                return json.loads(line.removeprefix(b"data: "))["data"]
        raise AssertionError("the stream ended")

    def streams_advice(self) -> object:
        url = f"{self.url}/v1/events?type=TOOL_APPROVAL_ADVICE"
        return urllib.request.urlopen(urllib.request.Request(url, headers={"accept": "text/event-stream"}))


def ask(policy: str, questions: list[object]) -> list[dict[str, object]]:
    """The advice about each of these arguments."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), policy)
        try:
            with server.streams_advice() as stream:
                found = []
                for number, arguments in enumerate(questions):
                    server.proposes(f"call_{number}", arguments)
                    found.append(server.next_advice(stream))
                return found
        finally:
            server.stop()


class RegoExample(unittest.TestCase):
    def ask(self, document: str, questions: list[object]) -> list[dict[str, object]]:
        rego = rego_server.start(EXAMPLES / "advice.rego")
        threading.Thread(target=rego.serve_forever, daemon=True).start()
        try:
            url = f"http://127.0.0.1:{rego.server_port}/v1/data/countersign/{document}"
            return ask(policy_of("opa.py", url), questions)
        finally:
            rego.shutdown()
            rego.server_close()

    def test_example_allows_denies_and_asks(self) -> None:
        found = self.ask("advice", QUESTIONS)
        self.assertEqual([advice["advice"] for advice in found], ["allow", "ask", "deny", "deny"])
        self.assertEqual(found[2]["reason"], "production is frozen")

    def test_boolean_and_undefined_results_are_read(self) -> None:
        allowed, denied = self.ask("advice/allow", [{"command": "make"}, {"command": "rm"}])
        self.assertEqual((allowed["advice"], denied["advice"]), ("allow", "deny"))
        (undefined,) = self.ask("missing", [{"command": "make"}])
        self.assertEqual((undefined["advice"], undefined["failure"]), ("ask", "failed"))


class CedarExample(unittest.TestCase):
    def ask(self, questions: list[object]) -> list[dict[str, object]]:
        return ask(policy_of("cedar.py", str(EXAMPLES / "advice.cedar")), questions)

    def test_example_allows_denies_and_asks(self) -> None:
        found = self.ask(QUESTIONS)
        self.assertEqual([advice["advice"] for advice in found], ["allow", "ask", "deny", "deny"])
        self.assertEqual(found[2]["reason"], "production is frozen")

    def test_arguments_cannot_name_entities(self) -> None:
        (forged,) = self.ask([{"command": {"__entity": {"type": "Agent", "id": "root"}}}])
        self.assertEqual((forged["advice"], forged["failure"]), ("ask", "failed"))

    def test_failing_policy_is_a_failure(self) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".cedar") as policies:
            policies.write("permit (principal, action, resource);\n")
            policies.write("forbid (principal, action, resource) when { context.arguments.x > 1 };\n")
            policies.flush()
            (failed,) = ask(policy_of("cedar.py", policies.name), [{"x": "2"}])
        self.assertEqual((failed["advice"], failed["failure"]), ("ask", "failed"))


if __name__ == "__main__":
    unittest.main()
