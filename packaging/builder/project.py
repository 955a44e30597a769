"""What all packages say about the project, and the platforms for which it has packages."""

from __future__ import annotations

import dataclasses
import os
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SUMMARY = "An approval service between AI agents and the tools that they want to run"
AUTHOR = "The Countersign developers"
# Files in an archive need some time. Any will do if it is always the same: this is the beginning of 2020.
FIXED_TIME = 1_577_836_800


class BuildError(Exception):
    """A problem that the person who builds can solve."""


@dataclasses.dataclass(frozen=True)
class Target:
    """A platform with packages, and its names in each package format."""

    triple: str
    machine: str
    npm: str
    npm_os: str
    npm_cpu: str
    debian: str | None = None


# A published program for Linux is static. A program for glibc gets the same packages, which then say what they need.
TARGETS = {
    target.triple: target
    for target in (
        Target("x86_64-unknown-linux-musl", "x86_64", "linux-x64", "linux", "x64", "amd64"),
        Target("aarch64-unknown-linux-musl", "aarch64", "linux-arm64", "linux", "arm64", "arm64"),
        Target("x86_64-unknown-linux-gnu", "x86_64", "linux-x64", "linux", "x64", "amd64"),
        Target("aarch64-unknown-linux-gnu", "aarch64", "linux-arm64", "linux", "arm64", "arm64"),
        Target("x86_64-apple-darwin", "x86_64", "darwin-x64", "darwin", "x64"),
        Target("aarch64-apple-darwin", "arm64", "darwin-arm64", "darwin", "arm64"),
    )
}


@dataclasses.dataclass(frozen=True)
class Project:
    """The facts in the workspace manifest."""

    version: str
    licence: str
    repository: str | None
    fixed_time: int


def read_project() -> Project:
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())
    facts = manifest["workspace"]["package"]
    fixed_time = int(os.environ.get("SOURCE_DATE_EPOCH", FIXED_TIME))
    return Project(facts["version"], facts["license"], facts.get("repository"), fixed_time)


def find_target(triple: str) -> Target:
    if triple not in TARGETS:
        raise BuildError(f"there are no packages for {triple}; choose one of {', '.join(TARGETS)}")
    return TARGETS[triple]


def read_text(path: str) -> bytes:
    """A file of the repository."""
    return (ROOT / path).read_bytes()
