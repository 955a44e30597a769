"""Checks the examples in Python of all pages."""

import ast
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def examples():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.split():
        for block in BLOCK.findall((ROOT / name).read_text(encoding="utf-8")):
            yield name, block


class PythonExamples(unittest.TestCase):
    def test_examples_are_python(self):
        count = 0
        for name, block in examples():
            try:
                compile(block, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST)
            except SyntaxError as error:
                self.fail(f"{name}: {error}\n{block}")
            count += 1
        self.assertGreater(count, 10)


if __name__ == "__main__":
    unittest.main()
