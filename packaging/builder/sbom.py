"""The bill of materials: each crate in the program with its version, licence and checksum, as CycloneDX JSON."""

from __future__ import annotations

import datetime
import hashlib
import json
import uuid
from typing import Any

from .dependencies import Crate, Dependencies, Identity
from .program import Program
from .project import AUTHOR, SUMMARY, Project, Target

# Any fixed name space will do: the same program gets the same serial number.
NAMESPACE = uuid.UUID("3c5ea3c8-2d1c-5c0e-9d38-5f5a3b8b0a11")


def write_sbom(project: Project, target: Target, program: Program, dependencies: Dependencies) -> bytes:
    digest = hashlib.sha256(program.content).hexdigest()
    moment = datetime.datetime.fromtimestamp(project.fixed_time, datetime.timezone.utc)
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(NAMESPACE, f'{project.version} {target.triple} {digest}')}",
        "version": 1,
        "metadata": {
            "timestamp": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "authors": [{"name": AUTHOR}],
            "component": _program_component(project, target, digest),
        },
        "components": [_crate_component(crate) for crate in dependencies.crates],
        "dependencies": _edges(project, dependencies),
    }
    return (json.dumps(document, indent=1) + "\n").encode()


def _program_component(project: Project, target: Target, digest: str) -> dict[str, Any]:
    return {
        "type": "application",
        "bom-ref": _program_reference(project),
        "name": "countersign",
        "version": project.version,
        "description": SUMMARY,
        "licenses": [{"expression": project.licence}],
        "hashes": [{"alg": "SHA-256", "content": digest}],
        "properties": [{"name": "countersign:target", "value": target.triple}],
    }


def _crate_component(crate: Crate) -> dict[str, Any]:
    reference = _crate_reference(crate.identity)
    component = {
        "type": "library",
        "bom-ref": reference,
        "name": crate.name,
        "version": crate.version,
        "purl": reference,
        "licenses": [{"expression": crate.licence}],
        "hashes": [{"alg": "SHA-256", "content": crate.checksum}],
    }
    if crate.repository:
        component["externalReferences"] = [{"type": "vcs", "url": crate.repository}]
    return component


def _program_reference(project: Project) -> str:
    return f"pkg:generic/countersign@{project.version}"


def _crate_reference(identity: Identity) -> str:
    return "pkg:cargo/{}@{}".format(*identity)


def _edges(project: Project, dependencies: Dependencies) -> list[dict[str, Any]]:
    """The edges between crates of other projects. The crates of this workspace are one component, the program."""
    others = {crate.identity for crate in dependencies.crates}
    direct: set[Identity] = set()
    edges = []
    for identity, needed in dependencies.edges.items():
        if identity in others:
            edges.append({"ref": _crate_reference(identity), "dependsOn": sorted(map(_crate_reference, needed & others))})
        else:
            direct |= needed & others
    program = {"ref": _program_reference(project), "dependsOn": sorted(map(_crate_reference, direct))}
    return [program, *sorted(edges, key=lambda edge: edge["ref"])]
