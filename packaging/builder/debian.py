"""The Debian package: the program as a service with its units, its policy and its user."""

from __future__ import annotations

import hashlib
import textwrap

from .archives import PackedFile, Packing, gzip_bytes, parent_folders, tar_bytes, xz_bytes
from .contents import Contents
from .program import Program
from .project import AUTHOR, SUMMARY, Project, Target, read_text

DESCRIPTION = """\
An agent proposes a tool call. A policy allows it, blocks it, or asks people, who decide in a browser, in a terminal or \
over HTTP. Every step is a row in one append-only table of an SQLite file or a PostgreSQL database."""
DOCUMENTS = "usr/share/doc/countersign"
# Where dpkg puts files of the repository.
INSTALLED = {
    "etc/countersign/policy.toml": "crates/policy/src/shipped.toml",
    "usr/lib/systemd/system/countersign.service": "packaging/systemd/countersign.service",
    "usr/lib/systemd/system/countersign.socket": "packaging/systemd/countersign.socket",
    "usr/lib/sysusers.d/countersign.conf": "packaging/systemd/countersign.sysusers",
    "usr/share/countersign/roles.sql": "packaging/postgres/roles.sql",
    "usr/share/countersign/alerts.yml": "packaging/prometheus/alerts.yml",
    "usr/share/countersign/countersign.json": "packaging/grafana/countersign.json",
}
CONFIGURATION = ["/etc/countersign/policy.toml"]
SCRIPTS = ["postinst", "postrm", "prerm"]
COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: countersign
Comment: LICENSE-MIT and LICENSE-APACHE beside this file are the licences of Countersign. THIRD-PARTY.txt.gz lists the
 crates of other projects in the program, with their licences.

Files: *
Copyright: 2026 The Countersign authors
License: {licence}
"""


def build_debian_package(
    project: Project, target: Target, program: Program, contents: Contents, packing: Packing
) -> PackedFile:
    version = f"{project.version}-1"
    files = _installed_files(project, program, contents, packing)
    control = [
        PackedFile("control", _control(version, target, program, files)),
        PackedFile("conffiles", "".join(f"{path}\n" for path in CONFIGURATION).encode()),
        PackedFile("md5sums", _md5sums(files)),
        *(PackedFile(name, read_text(f"packaging/debian/{name}"), executable=True) for name in SCRIPTS),
    ]
    parts = {
        "debian-binary": b"2.0\n",
        "control.tar.xz": xz_bytes(tar_bytes(control, packing, prefix="./"), packing),
        "data.tar.xz": xz_bytes(tar_bytes(files, packing, prefix="./", with_folders=True), packing),
    }
    return PackedFile(f"countersign_{version}_{target.debian}.deb", _ar(parts, packing))


def _installed_files(project: Project, program: Program, contents: Contents, packing: Packing) -> list[PackedFile]:
    documents = {
        "README.md": contents.readme,
        "changelog.gz": gzip_bytes(read_text("CHANGELOG.md"), packing),
        "copyright": COPYRIGHT.format(licence=project.licence).encode(),
        "countersign.cdx.json.gz": gzip_bytes(contents.sbom, packing),
        "THIRD-PARTY.txt.gz": gzip_bytes(contents.third_party, packing),
        "LICENSE-APACHE": read_text("LICENSE-APACHE"),
        "LICENSE-MIT": read_text("LICENSE-MIT"),
    }
    return [
        PackedFile("usr/bin/countersign", program.content, executable=True),
        *(PackedFile(f"{DOCUMENTS}/{name}", content) for name, content in documents.items()),
        *(PackedFile(path, read_text(source)) for path, source in INSTALLED.items()),
    ]


def _control(version: str, target: Target, program: Program, files: list[PackedFile]) -> bytes:
    # The unit of this field is 1024 bytes, and each folder counts as one.
    size = sum(-(-len(file.content) // 1024) for file in files) + len(parent_folders(files))
    # One of these has systemd-sysusers, which creates the user.
    needs = ["systemd | systemd-standalone-sysusers | systemd-sysusers"]
    if program.glibc is not None:
        needs += ["libc6 (>= {}.{})".format(*program.glibc), "libgcc-s1"]
    lines = [
        "Package: countersign",
        f"Version: {version}",
        f"Architecture: {target.debian}",
        f"Maintainer: {AUTHOR}",
        f"Installed-Size: {size}",
        f"Depends: {', '.join(needs)}",
        "Section: admin",
        "Priority: optional",
        f"Description: {SUMMARY[0].lower()}{SUMMARY[1:]}",
        *textwrap.wrap(DESCRIPTION, 78, initial_indent=" ", subsequent_indent=" "),
    ]
    return ("\n".join(lines) + "\n").encode()


def _md5sums(files: list[PackedFile]) -> bytes:
    """dpkg's check for damaged files. Configuration may change, so it is not listed."""
    kept = sorted((file for file in files if f"/{file.path}" not in CONFIGURATION), key=lambda file: file.path)
    lines = (f"{hashlib.md5(file.content, usedforsecurity=False).hexdigest()}  {file.path}\n" for file in kept)
    return "".join(lines).encode()


def _ar(parts: dict[str, bytes], packing: Packing) -> bytes:
    archive = [b"!<arch>\n"]
    for name, content in parts.items():
        archive.append(f"{name:<16}{packing.fixed_time:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode())
        archive.append(content + b"\n" * (len(content) % 2))
    return b"".join(archive)
