"""Installs each package on a machine without Rust, plays one call with it, and removes it. Then it plays the first minute of a
person who types `uvx` or `npx`.

    try_packages.py PACKAGES UV EXPECTED [WAY ...]

EXPECTED is what the program prints for `--version`. Start it with `tests/packages/run`, which makes the machine.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True

from first_minute import TYPED, play_first_minute  # noqa: E402
from machine import Home, PackageError, hide_rust, require, start_loopback  # noqa: E402
from story import play_story  # noqa: E402
from ways import WAYS, Packages  # noqa: E402


def main(folder: str, uv: str, expected: str, *names: str) -> int:
    hide_rust()
    start_loopback()
    packages = Packages(Path(folder), Path(uv))

    def try_program(home: Home, command: list[str | Path]) -> None:
        printed = home.run(*command, "--version")
        require(printed.strip() == expected.strip(), f"--version prints {printed}, not {expected}")
        play_story(home, command)

    failed = 0
    for name in names or WAYS:
        started = time.monotonic()
        # tests/packages/run removes the folder, after the namespaces and their mounts have ended.
        place = Path(tempfile.mkdtemp(prefix=f"{name}-"))
        try:
            WAYS[name](packages, Home(place / "home"), try_program)
        except PackageError as error:
            failed += 1
            print(f"FAILED {name}: {error}", flush=True)
            continue
        took = time.monotonic() - started
        print(f"ok {name}: installed, one call approved and run, removed ({took:.1f} s)", flush=True)
    for name in (name for name in TYPED if not names or name in names):
        place = Path(tempfile.mkdtemp(prefix=f"minute-{name}-"))
        try:
            seconds = play_first_minute(name, packages, Home(place / "home"))
        except PackageError as error:
            failed += 1
            print(f"FAILED the first minute with {name}: {error}", flush=True)
            continue
        # A debug build on a busy machine says little about the time of a release, so it is printed and not asserted.
        print(f"ok the first minute with {name}: from the command to the first approved call in {seconds:.1f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
