"""Installs the packages for another processor, and asks their program for its version with an emulator. A service takes minutes to
start there, so calls are tried on machines with that processor.

    try_emulated.py PACKAGES EXPECTED

EXPECTED is what the program prints for `--version` on this processor. Start it with `tests/packages/run`, which makes the machine.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.dont_write_bytecode = True

from debian_root import DebianRoot  # noqa: E402
from machine import Home, PackageError, hide_rust, require  # noqa: E402

PROCESSORS = ["aarch64", "x86_64"]
NPM_NAMES = {"aarch64": "linux-arm64", "x86_64": "linux-x64"}


def find(packages: Path, pattern: str) -> Path:
    (found,) = packages.glob(pattern)
    return found


def install_wheel(packages: Path, place: Path, processor: str) -> Path:
    Home(place / "pip").run(
        sys.executable, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", "--only-binary=:all:",
        "--platform", f"manylinux2014_{processor}", "--target", place / "wheel", "--find-links", packages, "countersign-server",
    )  # fmt: skip
    return place / "wheel" / "bin" / "countersign"


def install_npm(packages: Path, place: Path, processor: str) -> Path:
    name = NPM_NAMES[processor]
    cpu = name.removeprefix("linux-")
    (place / "npm").mkdir()
    words = ["--offline", "--global", "--prefix", place / "npm", f"--cpu={cpu}", "--os=linux"]
    # npm looks at the processor of Node.js for a package that is named, and not for a dependency.
    Home(place / "home").run(
        "npm", "install", "--force", *words, find(packages, "countersign-[0-9]*.tgz"), find(packages, f"countersign-{name}-*.tgz")
    )
    return place / "npm" / "lib" / "node_modules" / "@countersign" / name / "bin" / "countersign"


def install_deb(packages: Path, place: Path, processor: str) -> Path:
    root = DebianRoot(place / "system")
    root.dpkg("--force-architecture", "--install", find(packages, "countersign_*.deb"))
    root.require_enabled("countersign.service", "countersign.socket")
    return root.folder / "usr" / "bin" / "countersign"


def unpack_tarball(packages: Path, place: Path, processor: str) -> Path:
    tarball = find(packages, "countersign-*.tar.gz")
    subprocess.run(["tar", "--extract", "--gzip", "--file", tarball, "--directory", place], check=True)
    return place / tarball.name.removesuffix(".tar.gz") / "countersign"


WAYS: dict[str, Callable[[Path, Path, str], Path]] = {
    "wheel": install_wheel,
    "npm": install_npm,
    "deb": install_deb,
    "tarball": unpack_tarball,
}


def try_version(program: Path, home: Home, processor: str, expected: str) -> None:
    printed = home.run(f"qemu-{processor}-static", program, "--version")
    require(printed == expected, f"--version prints {printed}, not {expected}")


def main(folder: str, native: str) -> int:
    hide_rust()
    packages = Path(folder)
    (processor,) = (name for name in PROCESSORS if list(packages.glob(f"countersign-*-{name}-*.tar.gz")))
    (other,) = set(PROCESSORS) - {processor}
    expected = f"{native}\n".replace(other, processor)
    failed = 0
    for name, install in WAYS.items():
        started = time.monotonic()
        place = Path(tempfile.mkdtemp(prefix=f"{processor}-{name}-"))
        try:
            try_version(install(packages, place, processor), Home(place / "user"), processor, expected)
        except PackageError as error:
            failed += 1
            print(f"FAILED {name} for {processor}: {error}", flush=True)
            continue
        print(f"ok {name} for {processor}: installed, and its program runs ({time.monotonic() - started:.1f} s)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
