"""Fills the Homebrew formula with the facts of a release."""

from __future__ import annotations

import re
from pathlib import Path

from .project import BuildError, Project, read_text
from .sums import digest
from .tarball import tarball_name

TEMPLATE = "packaging/homebrew/countersign.rb"


def write_formula(project: Project, folder: Path, address: str) -> bytes:
    """The formula for the tarballs in a folder, which will be at the address."""
    homepage = project.repository or address

    def fill(found: re.Match[str]) -> str:
        name, _, triple = found[1].partition(":")
        if name == "SHA256":
            tarball = folder / f"{tarball_name(project, triple)}.tar.gz"
            if not tarball.exists():
                raise BuildError(f"the formula needs {tarball.name}, which is not in {folder}")
            return digest(tarball)
        return {"HOMEPAGE": homepage, "VERSION": project.version, "ADDRESS": address.rstrip("/")}[name]

    return re.sub(r"@([A-Z0-9]+(?::[\w-]+)?)@", fill, read_text(TEMPLATE).decode()).encode()
