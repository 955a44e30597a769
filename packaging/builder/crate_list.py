"""The list of crates that `cargo auditable` puts into a program: compressed JSON in the section `.dep-v0`. Scanners such as
`cargo audit bin` and Trivy read it from an installed program, without the bill of materials beside it."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator

from .dependencies import Dependencies, Identity
from .program import Program
from .project import BuildError

SECTION = b".dep-v0"
LC_SEGMENT_64 = 0x19
# A list of some hundred crates has some ten thousand bytes.
MAX_BYTES = 8 * 1024 * 1024


def check_crate_list(program: Program, dependencies: Dependencies, *, is_required: bool) -> None:
    """Compares the program's list with the bill of materials, which cargo writes without the program.

    Each crate of the bill of materials must be in the list. The list may have more: cargo auditable asks cargo about the whole
    workspace, whose other members turn on features that this program does not have. But it has only crates of the lock file.
    """
    section = find_section(program.content)
    if section is None:
        if is_required:
            raise BuildError("the program has no list of its crates: build it with `cargo auditable build`")
        return
    listed = set(read_crate_list(section))
    missing = {crate.identity for crate in dependencies.crates} - listed
    if missing:
        raise BuildError(f"the program lacks crates of the bill of materials: {_names(missing)}; was it built for another target?")
    unknown = listed - dependencies.locked
    if unknown:
        raise BuildError(f"Cargo.lock lacks crates of the program: {_names(unknown)}; was it built from other sources?")


def _names(crates: set[Identity]) -> str:
    return ", ".join(f"{name} {version}" for name, version in sorted(crates))


def read_crate_list(section: bytes) -> Iterator[Identity]:
    """The crates of other projects that the program was built with, also macros and those of build scripts."""
    try:
        reader = zlib.decompressobj()
        packages = json.loads(reader.decompress(section, MAX_BYTES))["packages"]
        for package in packages:
            if package["source"] != "local":
                yield package["name"], package["version"]
    except (zlib.error, ValueError, KeyError, TypeError) as error:
        raise BuildError(f"the program's list of its crates cannot be read: {error}") from None


def find_section(content: bytes) -> bytes | None:
    sections = _elf_sections(content) if content[:4] == b"\x7fELF" else _macho_sections(content)
    return next((content[start : start + size] for name, start, size in sections if name == SECTION), None)


def _elf_sections(content: bytes) -> Iterator[tuple[bytes, int, int]]:
    (start,) = struct.unpack_from("<Q", content, 40)
    size, count, names_index = struct.unpack_from("<HHH", content, 58)
    headers = [struct.unpack_from("<IIQQQQ", content, start + index * size) for index in range(count)]
    if not headers:
        return
    names = headers[names_index][4]
    for name, _, _, _, offset, length in headers:
        at = names + name
        yield content[at : content.index(b"\0", at)], offset, length


def _macho_sections(content: bytes) -> Iterator[tuple[bytes, int, int]]:
    (count,) = struct.unpack_from("<I", content, 16)
    at = 32
    for _ in range(count):
        command, size = struct.unpack_from("<II", content, at)
        if command == LC_SEGMENT_64:
            (sections,) = struct.unpack_from("<I", content, at + 64)
            for place in range(at + 72, at + 72 + sections * 80, 80):
                length, offset = struct.unpack_from("<QI", content, place + 40)
                yield content[place : place + 16].rstrip(b"\0"), offset, length
        at += size
