"""The Python samples on the repository pages. A page's samples are one program: a later one uses the names of those before."""

from __future__ import annotations

import ast
import asyncio
import importlib.util
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
FENCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
ANOTHER_LIBRARY = "# before"
"""The first words of a sample that shows what a page replaces."""
WRAPPED = {
    "countersign.agent_framework": "agent_framework", "countersign.claude_agent_sdk": "claude_agent_sdk",
    "countersign.google_adk": "google.adk", "countersign.langchain": "langchain", "countersign.langgraph": "langgraph",
    "countersign.mcp": "mcp", "countersign.openai_agents": "agents", "countersign.pydantic_ai": "pydantic_ai",
}
"""The framework of each wrapper."""


@dataclass(frozen=True)
class PageSample:
    """A sample, and the line of its page on which it starts."""

    page: str
    line: int
    code: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def compiled(self) -> CodeType:
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        return compile("\n" * (self.line - 1) + self.code, self.page, "exec", flags)

    @property
    def imports(self) -> list[ast.Import | ast.ImportFrom]:
        nodes = ast.walk(ast.parse(self.code))
        return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]

    @property
    def frameworks(self) -> set[str]:
        """The modules of other packages that the sample needs."""
        names = {alias.name for node in self.imports if isinstance(node, ast.Import) for alias in node.names}
        names |= {node.module or "" for node in self.imports if isinstance(node, ast.ImportFrom)}
        others = {WRAPPED.get(name, name) for name in names}
        return {name for name in others if name.split(".")[0] not in {"countersign", *sys.stdlib_module_names}}

    def run(self, names: dict[str, Any]) -> None:
        """Runs the sample with these names, and keeps the names that it defines."""
        outcome = eval(self.compiled, names)
        if inspect.isawaitable(outcome):
            asyncio.run(_finish(outcome))

    def run_imports(self) -> None:
        """Runs only the import statements, which fail for a name that a package does not have."""
        exec(compile(ast.Module(body=list(self.imports), type_ignores=[]), str(self), "exec"), {})


async def _finish(outcome: Any) -> None:
    await outcome


def read_samples() -> Iterator[PageSample]:
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    for name in subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split():
        page = (ROOT / name).read_text(encoding="utf-8")
        for found in FENCE.finditer(page):
            if not found.group(1).startswith(ANOTHER_LIBRARY):
                yield PageSample(name, page.count("\n", 0, found.start(1)) + 1, found.group(1))


def is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
