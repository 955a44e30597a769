"""What every package contains beside the program: its licences, those of its dependencies, and the bill of materials."""

from __future__ import annotations

import dataclasses

from .dependencies import Dependencies
from .program import Program
from .project import Project, Target, read_text
from .sbom import write_sbom
from .third_party import write_third_party


@dataclasses.dataclass(frozen=True)
class Contents:
    """The files that all packages share."""

    readme: bytes
    third_party: bytes
    sbom: bytes

    def licences(self) -> dict[str, bytes]:
        own = {name: read_text(name) for name in ("LICENSE-APACHE", "LICENSE-MIT")}
        return {**own, "THIRD-PARTY.txt": self.third_party}


def read_contents(project: Project, target: Target, program: Program, dependencies: Dependencies) -> Contents:
    return Contents(
        readme=read_text("packaging/README.md"),
        third_party=write_third_party(target, dependencies),
        sbom=write_sbom(project, target, program, dependencies),
    )
