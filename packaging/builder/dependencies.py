"""The crates that are part of a program: what they are, who depends on whom, and their licence files."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

from .project import ROOT, BuildError, Target

PACKAGE = "countersign-cli"
# A crate may contain the sources of another project in a folder, with a licence of their own.
LICENCE_FILE = re.compile(r"(?:UN)?LICEN[CS]E|COPYING|COPYRIGHT|NOTICE", re.IGNORECASE)
LICENCE_SUFFIXES = {"", ".md", ".txt"}
Identity = tuple[str, str]


def is_licence(file: Path) -> bool:
    """Returns true for names such as LICENSE-MIT, NOTICE.txt and LICENSES/MIT.txt, and false for license.rs."""
    is_text = file.suffix.lower() in LICENCE_SUFFIXES or file.stem.isupper()
    return is_text and (LICENCE_FILE.match(file.name) is not None or file.parent.name == "LICENSES")


@dataclasses.dataclass(frozen=True)
class Crate:
    """A crate of another project."""

    name: str
    version: str
    licence: str
    repository: str | None
    checksum: str
    folder: Path

    @property
    def identity(self) -> Identity:
        return self.name, self.version

    def licence_texts(self) -> list[str]:
        files = sorted(file for file in self.folder.rglob("*") if is_licence(file) and file.is_file())
        return [file.read_text(errors="replace").replace("\r\n", "\n").strip() for file in files]


@dataclasses.dataclass(frozen=True)
class Dependencies:
    """The crates of other projects, the edges between all crates, and what the lock file has."""

    crates: list[Crate]
    root: Identity
    edges: dict[Identity, set[Identity]]
    locked: set[Identity]


def _cargo(*words: str) -> str:
    command = [os.environ.get("CARGO", "cargo"), *words, "--locked", "--offline"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except FileNotFoundError:
        raise BuildError("cargo is needed to list the dependencies; set CARGO or PATH") from None
    except subprocess.CalledProcessError as error:
        hint = "if crates are missing, run `cargo fetch --locked` with the same --target first"
        raise BuildError(f"{' '.join(command)}: {error.stderr.strip()}\n{hint}") from None
    return done.stdout


def read_dependencies(target: Target) -> Dependencies:
    """Reads the dependencies that cargo would build into the program. Build scripts and tests are no part of it."""
    tree = _cargo(
        "tree", "--package", PACKAGE, "--edges", "normal", "--target", target.triple,
        "--prefix", "depth", "--format", "\t{p}",
    )  # fmt: skip
    edges = read_tree(tree)
    root = next(iter(edges))
    checksums = _read_checksums()
    # Fields that only cargo knows, and the folders in which it keeps the sources.
    metadata = json.loads(_cargo("metadata", "--format-version", "1", "--filter-platform", target.triple))
    crates = [
        Crate(
            package["name"],
            package["version"],
            (package["license"] or "").replace("/", " OR "),
            package["repository"],
            checksums[package["name"], package["version"]],
            Path(package["manifest_path"]).parent,
        )
        for package in metadata["packages"]
        if package["source"] and (package["name"], package["version"]) in edges
    ]
    return Dependencies(sorted(crates, key=lambda crate: crate.identity), root, edges, set(checksums))


def read_tree(tree: str) -> dict[Identity, set[Identity]]:
    """Reads the edges from `cargo tree --prefix depth`. A crate that is shown again is shown without its own dependencies."""
    edges: dict[Identity, set[Identity]] = {}
    path: list[Identity] = []
    for depth, identity in _tree_lines(tree):
        del path[depth:]
        if path:
            edges[path[-1]].add(identity)
        edges.setdefault(identity, set())
        path.append(identity)
    return edges


def _tree_lines(tree: str) -> Iterator[tuple[int, Identity]]:
    for line in tree.splitlines():
        depth, crate = line.split("\t")
        name, version, *_ = crate.split()
        yield int(depth), (name, version.removeprefix("v"))


def _read_checksums() -> dict[Identity, str]:
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())
    return {(crate["name"], crate["version"]): crate["checksum"] for crate in lock["package"] if "checksum" in crate}
