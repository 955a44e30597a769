"""Compares the contents of each package with the lists in `contents`, and the checksums inside of the packages.

    check_contents.py [--accept] FOLDER

Each line in a list has a file's mode and its path. VERSION and PLATFORM stand for those of the package.
"""

from __future__ import annotations

import base64
import difflib
import hashlib
import io
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

LISTS = Path(__file__).resolve().parent / "contents"
# The packages of a build, and their lists.
PATTERNS = {
    "wheel": "countersign_server-*.whl",
    "npm": "countersign-[0-9]*.tgz",
    "npm-platform": "countersign-linux-*.tgz",
    "deb": "countersign_*.deb",
    "tarball": "countersign-*.tar.gz",
}


def read_tar(content: bytes) -> dict[str, tuple[int, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        return {
            member.name.removeprefix("./"): (member.mode, archive.extractfile(member).read())
            for member in archive
            if member.isfile()
        }


def read_package(package: Path) -> dict[str, tuple[int, bytes]]:
    """The files in a package, each with its mode and its content."""
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as archive:
            return {entry.filename: (entry.external_attr >> 16 & 0o7777, archive.read(entry)) for entry in archive.infolist()}
    if package.suffix == ".deb":
        control = subprocess.run(["dpkg-deb", "--ctrl-tarfile", package], check=True, capture_output=True).stdout
        data = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], check=True, capture_output=True).stdout
        return {**{f"DEBIAN/{path}": file for path, file in read_tar(control).items()}, **read_tar(data)}
    return read_tar(package.read_bytes())


def list_contents(files: dict[str, tuple[int, bytes]]) -> str:
    lines = []
    for path, (mode, _) in sorted(files.items()):
        path = re.sub(r"(?<=[-_])\d+\.\d+\.\d+(?=[./-])", "VERSION", path)
        path = re.sub(r"(x86_64|aarch64)-[a-z]+-[a-z]+-[a-z]+|(x86_64|aarch64)-apple-darwin", "PLATFORM", path)
        lines.append(f"{mode:o} {path}\n")
    return "".join(lines)


def check_record(files: dict[str, tuple[int, bytes]]) -> list[str]:
    """Each file of a wheel is in its RECORD, with its hash and its size."""
    (record,) = (path for path in files if path.endswith("/RECORD"))
    expected = []
    for path, (_, content) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        expected.append(f"{path},," if path == record else f"{path},sha256={digest},{len(content)}")
    found = files[record][1].decode().splitlines()
    return [f"RECORD has {line}" for line in sorted(set(found) ^ set(expected))]


def check_sbom(files: dict[str, tuple[int, bytes]]) -> list[str]:
    """Each crate of the bill of materials has a licence and a checksum, and is in the list of licences."""
    (sbom,) = (content for path, (_, content) in files.items() if path.endswith("countersign.cdx.json"))
    (third_party,) = (content.decode() for path, (_, content) in files.items() if path.endswith("THIRD-PARTY.txt"))
    document = json.loads(sbom)
    wrong = [] if len(document["components"]) > 200 else [f"the bill of materials has {len(document['components'])} crates"]
    for crate in document["components"]:
        name = f"{crate['name']} {crate['version']}"
        if not crate["licenses"][0]["expression"] or len(crate["hashes"][0]["content"]) != 64:
            wrong.append(f"{name} has no licence or no checksum in the bill of materials")
        # Once in the list of crates, and once with its text.
        if third_party.count(f"\n{name}") < 2:
            wrong.append(f"{name} is not in THIRD-PARTY.txt, or without its licence")
    return wrong


def check_package(kind: str, package: Path, accept: bool) -> list[str]:
    files = read_package(package)
    found, path = list_contents(files), LISTS / f"{kind}.txt"
    if accept:
        path.write_text(found)
    expected = path.read_text().splitlines() if path.exists() else []
    wrong = list(difflib.unified_diff(expected, found.splitlines(), f"contents/{kind}.txt", package.name, lineterm=""))
    if kind == "wheel":
        wrong += check_record(files)
    if kind in ("wheel", "tarball"):
        wrong += check_sbom(files)
    return wrong


def main(*arguments: str) -> int:
    folder, accept = Path(arguments[-1]), "--accept" in arguments
    wrong, seen = [], {"SHA256SUMS"}
    for kind, pattern in PATTERNS.items():
        (package,) = folder.glob(pattern)
        seen.add(package.name)
        wrong += check_package(kind, package, accept)
    seen |= {path.name for path in folder.glob("*.cdx.json")}
    wrong += [f"{path.name} is in no list" for path in folder.iterdir() if path.name not in seen]
    for line in wrong:
        print(line)
    print("the packages differ from their lists" if wrong else "ok contents: each package has the files in its list")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
