"""The npm packages: `countersign`, which starts the program, and one package with the program for each platform."""

from __future__ import annotations

import json
from typing import Any

from .archives import PackedFile, Packing, gzip_bytes, tar_bytes
from .contents import Contents
from .program import Program
from .project import SUMMARY, TARGETS, Project, Target, read_text

NAME = "countersign"
SCOPE = "@countersign"
PLATFORM_README = """\
# {name}

The program `countersign` for {os} on {cpu}. Install the package `countersign`, which chooses the package of your platform:

    npm install --global countersign
"""


def build_main_package(project: Project, contents: Contents, packing: Packing) -> PackedFile:
    """The package that people install. Its only code is the launcher, and it has no install script."""
    platforms = sorted({target.npm for target in TARGETS.values()})
    manifest = {
        **_facts(project, NAME, SUMMARY),
        "bin": {"countersign": "bin/countersign.js"},
        "files": ["bin", "LICENSE-*"],
        "engines": {"node": ">=18"},
        "optionalDependencies": {f"{SCOPE}/{platform}": project.version for platform in platforms},
    }
    files = [
        PackedFile("bin/countersign.js", read_text("packaging/npm/countersign.js"), executable=True),
        PackedFile("README.md", contents.readme),
        *(PackedFile(name, text) for name, text in contents.licences().items() if name.startswith("LICENSE-")),
    ]
    return _pack(f"{NAME}-{project.version}.tgz", manifest, files, packing)


def build_platform_package(
    project: Project, target: Target, program: Program, contents: Contents, packing: Packing
) -> PackedFile:
    name = f"{SCOPE}/{target.npm}"
    manifest = {
        **_facts(project, name, f"The program countersign for {target.npm_os} on {target.npm_cpu}"),
        "os": [target.npm_os],
        "cpu": [target.npm_cpu],
        "preferUnplugged": True,
    }
    if program.glibc is not None:
        manifest["libc"] = ["glibc"]
    readme = PLATFORM_README.format(name=name, os=target.npm_os, cpu=target.npm_cpu)
    files = [
        PackedFile("bin/countersign", program.content, executable=True),
        PackedFile("README.md", readme.encode()),
        PackedFile("countersign.cdx.json", contents.sbom),
        *(PackedFile(name, text) for name, text in contents.licences().items()),
    ]
    return _pack(f"{NAME}-{target.npm}-{project.version}.tgz", manifest, files, packing)


def _facts(project: Project, name: str, description: str) -> dict[str, Any]:
    facts = {"name": name, "version": project.version, "description": description, "license": project.licence}
    if project.repository:
        facts["repository"] = {"type": "git", "url": f"git+{project.repository}.git"}
    return facts


def _pack(name: str, manifest: dict[str, Any], files: list[PackedFile], packing: Packing) -> PackedFile:
    text = json.dumps(manifest, indent=2) + "\n"
    whole = [PackedFile("package.json", text.encode()), *files]
    return PackedFile(name, gzip_bytes(tar_bytes(whole, packing, prefix="package/"), packing))
