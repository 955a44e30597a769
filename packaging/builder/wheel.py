"""The wheel `countersign-server`: the program as a script, for `pip`, `pipx` and `uv`."""

from __future__ import annotations

import base64
import hashlib

from .archives import PackedFile, Packing, zip_bytes
from .contents import Contents
from .program import Program
from .project import AUTHOR, SUMMARY, Project

NAME = "countersign-server"
KEYWORDS = "agents,approval,human-in-the-loop,llm,mcp,tools"


def platform_tags(program: Program) -> list[str]:
    """The platforms on which the program runs, as wheels name them."""
    if program.macos is not None:
        # No macOS for ARM is older than 11, and from 11 on only the first number counts.
        major, minor = max(program.macos, (11, 0)) if program.machine == "arm64" else program.macos
        return [f"macosx_{major}_{0 if major >= 11 else minor}_{program.machine}"]
    if program.glibc is not None:
        return ["manylinux_{}_{}_{}".format(*program.glibc[:2], program.machine)]
    # A static program needs neither glibc nor musl. These are the oldest tags that installers know for each.
    return [f"manylinux_2_17_{program.machine}", f"manylinux2014_{program.machine}", f"musllinux_1_2_{program.machine}"]


def build_wheel(project: Project, program: Program, contents: Contents, packing: Packing) -> PackedFile:
    tags = platform_tags(program)
    stem = f"{NAME.replace('-', '_')}-{project.version}"
    info = f"{stem}.dist-info"
    wheel = ["Wheel-Version: 1.0", "Generator: countersign-packaging", "Root-Is-Purelib: false"]
    wheel += [f"Tag: py3-none-{tag}" for tag in tags]
    files = [
        PackedFile(f"{stem}.data/scripts/countersign", program.content, executable=True),
        *(PackedFile(f"{info}/licenses/{name}", text) for name, text in contents.licences().items()),
        PackedFile(f"{info}/sboms/countersign.cdx.json", contents.sbom),
        PackedFile(f"{info}/METADATA", _metadata(project, contents)),
        PackedFile(f"{info}/WHEEL", ("\n".join(wheel) + "\n").encode()),
    ]
    files.append(PackedFile(f"{info}/RECORD", _record(files, f"{info}/RECORD")))
    return PackedFile(f"{stem}-py3-none-{'.'.join(tags)}.whl", zip_bytes(files, packing))


def _metadata(project: Project, contents: Contents) -> bytes:
    fields = [
        ("Metadata-Version", "2.4"),
        ("Name", NAME),
        ("Version", project.version),
        ("Summary", SUMMARY),
        ("Keywords", KEYWORDS),
        ("Author", AUTHOR),
        ("License-Expression", project.licence),
        *(("License-File", name) for name in contents.licences()),
        ("Classifier", "Environment :: Console"),
        ("Classifier", "Environment :: Web Environment"),
        ("Requires-Python", ">=3.8"),
        *((("Project-URL", f"Source, {project.repository}"),) if project.repository else ()),
        ("Description-Content-Type", "text/markdown"),
    ]
    head = "".join(f"{name}: {value}\n" for name, value in fields)
    return f"{head}\n".encode() + contents.readme


def _record(files: list[PackedFile], own_path: str) -> bytes:
    lines = []
    for file in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(file.content).digest()).rstrip(b"=").decode()
        lines.append(f"{file.path},sha256={digest},{len(file.content)}\n")
    return ("".join(lines) + f"{own_path},,\n").encode()
