"""The first minute of a person with `uvx` and `npx`: the commands are typed as the documentation prints them."""

from __future__ import annotations

import shlex
from pathlib import Path

from machine import NODE, Home
from ways import Packages, uv_options

SCRIPT = Path(__file__).resolve().parent / "first_minute.mjs"
# What a person types before `up`, `run` and `demo`.
TYPED = {"uvx": "uvx --from countersign-server countersign", "npx": "npx countersign"}


def install_shortcut(home: Home, name: str, *words: str | Path) -> None:
    """A command that finds the packages in local files. From an index, it finds them by their names."""
    folder = home.folder.parent / "shortcuts"
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f'#!/bin/sh\nexec {shlex.join(map(str, words))} "$@"\n')
    file.chmod(0o755)
    home.environment["PATH"] = f"{folder}:{home.environment['PATH']}"


def play_first_minute(name: str, packages: Packages, home: Home) -> float:
    """Returns the seconds from the first key to the output of the first approved call."""
    if name == "uvx":
        install_shortcut(home, "uvx", packages.uv, "tool", "run", *uv_options(packages))
    else:
        install_shortcut(
            home, "npx", NODE / "npx", "--offline", "--yes", *(f"--package={package}" for package in packages.npm), "--"
        )
    browser = home.folder.parent / "browser"
    browser.mkdir()
    home.environment["FIRST_MINUTE_HOME"] = str(browser)
    return float(home.run(NODE / "node", SCRIPT, TYPED[name], timeout=600).split()[-1])
