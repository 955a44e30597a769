"""Reads what a program needs from its platform: its processor, its libraries, and the versions of glibc or macOS."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Iterator
from pathlib import Path

from .project import BuildError, Target

ELF_MACHINES = {62: "x86_64", 183: "aarch64"}
MACHO_MACHINES = {0x0100_0007: "x86_64", 0x0100_000C: "arm64"}
# The libraries of glibc and GCC, which every system of a manylinux tag has.
COMMON_LIBRARIES = {"libc.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0", "libgcc_s.so.1"}
PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
DT_NEEDED, DT_STRTAB, DT_VERNEED, DT_VERNEEDNUM = 1, 5, 0x6FFF_FFFE, 0x6FFF_FFFF
LC_VERSION_MIN_MACOSX, LC_BUILD_VERSION = 0x24, 0x32


@dataclasses.dataclass(frozen=True)
class Program:
    """The program in the packages, and what it needs."""

    content: bytes
    machine: str
    # The version of glibc. None for a program without it.
    glibc: tuple[int, ...] | None = None
    # The version of macOS. None for a program of another system.
    macos: tuple[int, int] | None = None

    @property
    def is_static(self) -> bool:
        return self.glibc is None and self.macos is None


def read_program(path: Path, target: Target) -> Program:
    content = path.read_bytes()
    if content[:4] == b"\x7fELF":
        program, system = _read_elf(content), "linux"
    elif content[:4] == b"\xcf\xfa\xed\xfe":
        program, system = _read_macho(content), "darwin"
    else:
        raise BuildError(f"{path} is neither a program for Linux nor one for macOS")
    if (system, program.machine) != (target.npm_os, target.machine):
        raise BuildError(f"{path} is a program for {system} on {program.machine}, not for {target.triple}")
    if target.triple.endswith("-musl") and not program.is_static:
        raise BuildError(f"{path} is not static: build it with `cargo build --target {target.triple}`")
    return program


@dataclasses.dataclass(frozen=True)
class _Segment:
    kind: int
    offset: int
    address: int
    size: int


class _Elf:
    """A 64-bit little-endian ELF file."""

    def __init__(self, content: bytes) -> None:
        if content[4:6] != b"\x02\x01":
            raise BuildError("the program is not a 64-bit little-endian one")
        self.content = content
        (self.machine,) = struct.unpack_from("<H", content, 18)
        (start,) = struct.unpack_from("<Q", content, 32)
        size, count = struct.unpack_from("<HH", content, 54)
        self.segments = [self._segment(start + index * size) for index in range(count)]

    def _segment(self, at: int) -> _Segment:
        kind, _, offset, address, _, size = struct.unpack_from("<IIQQQQ", self.content, at)
        return _Segment(kind, offset, address, size)

    def has(self, kind: int) -> bool:
        return any(segment.kind == kind for segment in self.segments)

    def offset(self, address: int) -> int:
        """The place in the file that is loaded at an address."""
        for segment in self.segments:
            if segment.kind == PT_LOAD and segment.address <= address < segment.address + segment.size:
                return address - segment.address + segment.offset
        raise BuildError(f"the program's file has nothing for the address {address:#x}")

    def dynamic(self) -> Iterator[tuple[int, int]]:
        for segment in self.segments:
            if segment.kind == PT_DYNAMIC:
                for at in range(segment.offset, segment.offset + segment.size, 16):
                    yield struct.unpack_from("<QQ", self.content, at)

    def text(self, at: int) -> str:
        return self.content[at : self.content.index(b"\0", at)].decode()

    def needed_versions(self, entries: dict[int, int]) -> Iterator[str]:
        """The symbol versions that the program needs, such as GLIBC_2.34."""
        names = self.offset(entries[DT_STRTAB])
        if DT_VERNEED not in entries:
            return
        library = self.offset(entries[DT_VERNEED])
        for _ in range(entries[DT_VERNEEDNUM]):
            _, count, _, first, following = struct.unpack_from("<HHIII", self.content, library)
            version = library + first
            for _ in range(count):
                _, _, _, name, next_version = struct.unpack_from("<IHHII", self.content, version)
                yield self.text(names + name)
                version += next_version
            library += following


def _read_elf(content: bytes) -> Program:
    elf = _Elf(content)
    if elf.machine not in ELF_MACHINES:
        raise BuildError(f"there are no packages for programs of the ELF machine {elf.machine}")
    machine = ELF_MACHINES[elf.machine]
    if not elf.has(PT_INTERP):
        return Program(content, machine)
    entries = dict(elf.dynamic())
    names = elf.offset(entries[DT_STRTAB])
    libraries = {elf.text(names + value) for tag, value in elf.dynamic() if tag == DT_NEEDED}
    others = {name for name in libraries - COMMON_LIBRARIES if not name.startswith("ld-linux")}
    if others:
        raise BuildError(f"the program needs libraries that not every system has: {', '.join(sorted(others))}")
    prefix = "GLIBC_"
    versions = [name.removeprefix(prefix) for name in elf.needed_versions(entries) if name.startswith(prefix)]
    numbers = [tuple(map(int, version.split("."))) for version in versions if version[0].isdigit()]
    if not numbers:
        raise BuildError("the program is dynamic and names no version of glibc")
    return Program(content, machine, glibc=max(numbers))


def _read_macho(content: bytes) -> Program:
    (processor,) = struct.unpack_from("<I", content, 4)
    if processor not in MACHO_MACHINES:
        raise BuildError(f"there are no packages for programs of the Mach-O processor {processor:#x}")
    (count,) = struct.unpack_from("<I", content, 16)
    at = 32
    for _ in range(count):
        command, size = struct.unpack_from("<II", content, at)
        if command in (LC_BUILD_VERSION, LC_VERSION_MIN_MACOSX):
            place = at + 12 if command == LC_BUILD_VERSION else at + 8
            (version,) = struct.unpack_from("<I", content, place)
            return Program(content, MACHO_MACHINES[processor], macos=(version >> 16, version >> 8 & 0xFF))
        at += size
    raise BuildError("the program does not say which version of macOS it needs")
