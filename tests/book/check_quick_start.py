"""Plays the quick start with the program COUNTERSIGN_PROGRAM, and compares what it prints with the page."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/quick-start.md"
# Parts of the output that differ between two runs.
CHANGING = [
    (re.compile(r"call_[0-9a-z]{12}"), "CALL"),
    (re.compile(r"run-\d+-[0-9a-z]+"), "RUN"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ"), "TIME"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"), "MOMENT"),
    (re.compile(r"\d+s ago"), "AGE"),
    (re.compile(r"\b[0-9a-f]{12}\b|\b[0-9a-f]{64}\b"), "HASH"),
    (re.compile(r"(agent|user):[\w.-]+"), r"\1:NAME"),
    # Another process sees within a second that the agent waits.
    (re.compile(r"\n +agent: waits for the decision"), ""),
]


def read_blocks(page=PAGE):
    """The indented blocks of a page, each with its commands and the output of each."""
    blocks, block = [], []
    for line in [*page.read_text(encoding="utf-8").splitlines(), "end"]:
        if line.startswith("    "):
            block.append(line[4:])
        elif line.strip():
            blocks.append("\n".join(block).strip("\n"))
            block = []
        elif block:
            block.append("")
    return [text for text in blocks if text]


def plain(text, home):
    text = text.replace(str(home), "/home/ada")
    for pattern, word in CHANGING:
        text = pattern.sub(word, text)
    return text.strip()


class PlayedPage(unittest.TestCase):
    """A page whose commands are run, in an empty home folder."""

    page = PAGE

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name).resolve()
        self.tour = self.home / "tour"
        (self.home / "bin").mkdir()
        self.tour.mkdir()
        (self.home / "bin/countersign").symlink_to(os.environ["COUNTERSIGN_PROGRAM"])
        path = f"{self.home}/bin:{os.environ['PATH']}"
        self.environment = {"HOME": str(self.home), "PATH": path, "USER": "ada", "LANG": "C.UTF-8"}
        self.shown = {}
        for block in read_blocks(self.page):
            for command in re.split(r"^\$ ", re.sub(r"\\\n *", "", block), flags=re.MULTILINE)[1:]:
                line, _, output = command.partition("\n")
                self.shown.setdefault(line, output)

    def run_command(self, line):
        done = subprocess.run(
            ["bash", "-c", line], cwd=self.tour, env=self.environment, capture_output=True, text=True, timeout=60, check=False
        )
        return done.stdout + done.stderr

    def check(self, line, typed=None):
        self.assertIn(line, self.shown, "the page does not have this command")
        self.assertEqual(plain(self.run_command(typed or line), self.home), plain(self.shown[line], self.home), line)

    def start_asking(self, asks):
        """Starts the command that asks, checks what it prints, and returns it with the id of its call."""
        agent = subprocess.Popen(
            ["bash", "-c", f"exec {asks}"], cwd=self.tour, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(agent.communicate)
        self.addCleanup(agent.kill)
        asked = agent.stderr.readline() + agent.stderr.readline()
        self.assertEqual(plain(asked, self.home), plain(self.shown[asks], self.home))
        return agent, re.search(r"call_[0-9a-z]{12}", asked).group()

    def decide(self, agent, call):
        """Looks at the call and allows it, and returns what the command then prints."""
        self.check("countersign pending")
        allow = next(line for line in self.shown if line.startswith("countersign allow call_"))
        self.check(allow, re.sub(r"call_\w+", call, allow))
        return agent.communicate(timeout=60)[0]

    def play_requests(self, number_of_steps):
        """Starts a server, sends the requests of the page one after the other, and checks each answer."""
        server = subprocess.Popen(
            ["bash", "-c", "exec countersign serve --listen 127.0.0.1:0"],
            cwd=self.tour, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        self.addCleanup(server.communicate)
        self.addCleanup(server.terminate)
        address = next(found.group(1) for found in (re.search(r"http://(\S+)", line) for line in server.stdout) if found)
        steps = [line for line in self.shown if line.startswith(("AGENT=", "APPROVER=", "curl ")) and "event-stream" not in line]
        self.assertEqual(len(steps), number_of_steps, steps)
        script, pending = ["exec 2>/dev/null"], steps.index(next(line for line in steps if "/pending" in line))
        for number, line in enumerate(steps):
            if number == pending:
                # The proposal is on its way in the background.
                script.append(f"until {line} | grep -q call_1; do :; done")
            script.append(f"printf '\n@@%s\n' {number}; " + re.sub(r" &$", " >waiting &", line))
        script = "\n".join([*script, "wait"]).replace("localhost:7878", address)
        parts = re.split(r"\n@@\d+\n", self.run_command(script))[1:]
        for line, answer in zip(steps, parts, strict=True):
            expected = ".*".join(re.escape(part) for part in self.shown[line].strip().split("…"))
            self.assertRegex(answer.strip(), f"^{expected}$" if expected else "^$", line)


class QuickStart(PlayedPage):
    def test_terminal_prints_what_the_page_shows(self):
        agent, call = self.start_asking("countersign run -- echo hello")
        self.assertEqual(self.decide(agent, call), "hello\n")
        self.check("countersign log")
        self.check("countersign verify")

        policy = next(block for block in read_blocks() if block.startswith("[[rule]]"))
        (self.tour / "policy.toml").write_text(policy + "\n", encoding="utf-8")
        self.assertIn("countersign policy add policy.toml", self.shown)
        self.run_command("countersign policy add policy.toml --yes")
        self.check("countersign run -- ls policy.toml")
        self.check("countersign run -- git push --force")

    def test_server_answers_what_the_page_shows(self):
        self.play_requests(7)
        self.assertIn('"state":"allowed"', (self.tour / "waiting").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
