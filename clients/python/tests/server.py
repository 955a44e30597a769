"""A real server for tests: its own log, its tokens, and a port that it keeps across kill -9 and restarts."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any

PROGRAM = os.environ.get("COUNTERSIGN_PROGRAM", "")
NEW_LOG: list[tuple[bytes, dict[str, str]]] = []
"""The bytes of a log that contains the test tokens, and these tokens."""


class ServerUnderTest:
    """A server, which `stop` ends by the id of its process."""

    def __init__(self, policy: str = "", max_body: int | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="countersign-python-"))
        self.options = [] if max_body is None else ["--max-body", str(max_body)]
        # Commands that decide refuse to run in an agent's environment, so nothing else is inherited.
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "COUNTERSIGN_LOG": "error"}
        self.process: subprocess.Popen[str] | None = None
        self.tokens = self._create_log()
        self.agent, self.approver = self.tokens["builder"], self.tokens["ada"]
        if policy:
            (self.folder / "policy.toml").write_text(policy)
            self._run("policy", "apply", "--yes", str(self.folder / "policy.toml"))
        self.address = "127.0.0.1:0"
        self.start()

    def _create_log(self) -> dict[str, str]:
        """Creates the log with its tokens by copying the first log of this process, because that is faster."""
        if not NEW_LOG:
            self._run("migrate")
            names = {"builder": "agent", "tester": "agent", "ada": "approver", "bob": "approver"}
            tokens = {name: self.token(name, role) for name, role in names.items()}
            NEW_LOG.append(((self.folder / "log.db").read_bytes(), tokens))
        content, tokens = NEW_LOG[0]
        (self.folder / "log.db").write_bytes(content)
        return tokens

    def _run(self, *words: str) -> str:
        command = [PROGRAM, "--database", str(self.folder / "log.db"), *words]
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout

    def command(self, *words: str) -> Any:
        """Runs a command on the log, and returns its JSON."""
        return json.loads(self._run("--json", *words) or "null")

    def token(self, name: str, role: str) -> str:
        return self._run("token", "create", "--name", name, "--role", role).strip().split("\n")[-1].strip()

    def start(self) -> None:
        command = [PROGRAM, "--database", str(self.folder / "log.db"), "--json", "serve", "--listen", self.address, *self.options]
        with open(self.folder / "complaints", "a") as complaints:
            self.process = subprocess.Popen(
                command, env=self.env, cwd=self.folder, stdout=subprocess.PIPE, stderr=complaints, text=True
            )
        assert self.process.stdout is not None
        greeting = self.process.stdout.readline()
        assert greeting, (self.folder / "complaints").read_text()
        listening = json.loads(greeting)["listening"]
        self.url: str = listening if isinstance(listening, str) else listening[0]
        self.address = self.url.removeprefix("http://")

    def kill(self) -> None:
        """Kills the process with SIGKILL, and waits for its end."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def terminate(self) -> None:
        """Stops the process with SIGTERM, and waits for its end."""
        assert self.process is not None
        self.process.terminate()
        self.process.wait()

    def port(self) -> tuple[str, int]:
        """The server's host and port."""
        host, _, port = self.address.partition(":")
        return host, int(port)

    def stop(self) -> None:
        self.kill()
        if self.process and self.process.stdout:
            self.process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
