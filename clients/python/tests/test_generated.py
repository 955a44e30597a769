"""The generated types and error classes match the OpenAPI document."""

import subprocess
import sys
from pathlib import Path

from countersign.error_codes import ERROR_CLASSES

PACKAGE = Path(__file__).parent.parent


def test_generated_files_match_the_document() -> None:
    script = PACKAGE / "scripts" / "generate.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_each_documented_code_has_a_class() -> None:
    # Codes that only pages for people report, or the decisions in a message, have no class.
    pages = {"sign_in_failed", "sign_in_refused", "provider_unavailable", "tool_changed"}
    documented = set()
    for line in (PACKAGE.parent.parent / "docs" / "api.md").read_text("utf-8").split("\n"):
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 4 and cells[1].isdigit():
            documented |= {code.strip("` ") for code in cells[2].split(",")}
    assert len(documented) > 40
    assert documented - pages <= set(ERROR_CLASSES)
