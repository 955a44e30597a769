"""Tests of the package builder that need no built program of Countersign."""

from __future__ import annotations

import hashlib
import json
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "packaging"))

from builder.crate_list import check_crate_list, find_section  # noqa: E402
from builder.dependencies import Crate, Dependencies, read_tree  # noqa: E402
from builder.program import Program, read_program  # noqa: E402
from builder.project import TARGETS, BuildError, find_target, read_project  # noqa: E402
from builder.wheel import platform_tags  # noqa: E402

MACHINE = subprocess.run(["uname", "-m"], check=True, capture_output=True, text=True).stdout.strip()


def elf(machine: int) -> bytes:
    """A static program: an ELF header and one segment that is loaded."""
    head = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack("<HHIQQQIHHH", 2, machine, 1, 0, 64, 0, 0, 64, 56, 1)
    return head.ljust(64, b"\0") + struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, 120, 120, 4096)


def macho(processor: int, major: int, minor: int) -> bytes:
    """A program for macOS with two load commands, of which the second names the system's version."""
    commands = struct.pack("<IIQ", 0x1B, 16, 0) + struct.pack("<IIIIII", 0x32, 24, 1, major << 16 | minor << 8, 0, 0)
    return struct.pack("<IIIIIIII", 0xFEED_FACF, processor, 0, 2, 2, len(commands), 0, 0) + commands


class ProgramTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "program"

    def read(self, content: bytes, triple: str) -> Program:
        self.path.write_bytes(content)
        return read_program(self.path, find_target(triple))

    def test_static_program_runs_with_any_library(self) -> None:
        program = self.read(elf(183), "aarch64-unknown-linux-musl")
        self.assertTrue(program.is_static)
        self.assertEqual(
            platform_tags(program), ["manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_2_aarch64"]
        )

    def test_dynamic_program_names_its_glibc(self) -> None:
        """The reader agrees with readelf about a program of this machine."""
        shown = subprocess.run(["readelf", "--version-info", "/bin/true"], check=True, capture_output=True, text=True).stdout
        versions = [word.removeprefix("GLIBC_") for word in shown.split() if word.startswith("GLIBC_2")]
        newest = max(tuple(map(int, version.split("."))) for version in versions)
        program = self.read(Path("/bin/true").read_bytes(), f"{MACHINE}-unknown-linux-gnu")
        self.assertEqual(program.glibc, newest)
        self.assertEqual(platform_tags(program), [f"manylinux_{newest[0]}_{newest[1]}_{MACHINE}"])

    def test_program_with_rare_libraries_is_refused(self) -> None:
        with self.assertRaisesRegex(BuildError, "libtinfo"):
            self.read(Path("/bin/bash").read_bytes(), f"{MACHINE}-unknown-linux-gnu")

    def test_macos_program_names_its_system(self) -> None:
        for processor, triple, version, tag in (
            (0x0100_0007, "x86_64-apple-darwin", (10, 12), "macosx_10_12_x86_64"),
            (0x0100_0007, "x86_64-apple-darwin", (13, 3), "macosx_13_0_x86_64"),
            (0x0100_000C, "aarch64-apple-darwin", (11, 0), "macosx_11_0_arm64"),
        ):
            self.assertEqual(platform_tags(self.read(macho(processor, *version), triple)), [tag])

    def test_program_of_another_platform_is_refused(self) -> None:
        for content, triple in (
            (elf(62), "aarch64-unknown-linux-musl"),
            (elf(62), "x86_64-apple-darwin"),
            (macho(0x0100_0007, 11, 0), "aarch64-apple-darwin"),
            (b"#!/bin/sh\n", "x86_64-unknown-linux-musl"),
        ):
            with self.assertRaisesRegex(BuildError, "program"):
                self.read(content, triple)

    def test_dynamic_program_is_not_published_as_static(self) -> None:
        with self.assertRaisesRegex(BuildError, "not static"):
            self.read(Path("/bin/true").read_bytes(), f"{MACHINE}-unknown-linux-musl")


def elf_with_sections(crates: bytes) -> bytes:
    """A static program whose last two sections are the list of crates and the names of the sections."""
    names = b"\0.dep-v0\0.shstrtab\0"
    start = len(elf(62)) + len(crates)
    headers = [(0, 0, 0, 0, 0, 0), (1, 1, 0, 0, len(elf(62)), len(crates)), (9, 3, 0, 0, start, len(names))]
    packed = b"".join(struct.pack("<IIQQQQ", *header).ljust(64, b"\0") for header in headers)
    head = bytearray(elf(62))
    struct.pack_into("<Q", head, 40, start + len(names))
    struct.pack_into("<HHH", head, 58, 64, len(headers), 2)
    return bytes(head) + crates + names + packed


def macho_with_section(crates: bytes) -> bytes:
    """A program for macOS with one segment, whose second section is the list of crates."""
    at = 32 + 72 + 2 * 80
    sections = [(b"__data", 0, 0), (b".dep-v0", len(crates), at)]
    packed = b"".join(struct.pack("<16s16sQQI", name, b"__DATA", 0, size, place).ljust(80, b"\0") for name, size, place in sections)
    segment = struct.pack("<II16sQQQQIIII", 0x19, 72 + len(packed), b"__DATA", 0, 0, 0, 0, 3, 3, 2, 0) + packed
    return struct.pack("<IIIIIIII", 0xFEED_FACF, 0x0100_000C, 0, 2, 1, len(segment), 0, 0) + segment + crates


def crate_list(*packages: dict[str, object]) -> bytes:
    return zlib.compress(json.dumps({"packages": packages}).encode())


class CrateListTest(unittest.TestCase):
    OWN = {"name": "countersign-cli", "version": "0.1.0", "source": "local", "root": True}
    SERDE = {"name": "serde", "version": "1.0.0", "source": "crates.io"}
    BUILD = {"name": "cc", "version": "1.2.0", "source": "crates.io", "kind": "build"}

    def check(self, content: bytes, *names: str, is_required: bool = True) -> None:
        crates = [Crate(name, "1.0.0", "MIT", None, "", Path()) for name in names]
        locked = {("serde", "1.0.0"), ("cc", "1.2.0")}
        dependencies = Dependencies(crates, ("countersign-cli", "0.1.0"), {}, locked)
        check_crate_list(Program(content, "x86_64"), dependencies, is_required=is_required)

    def test_list_is_found_in_each_format(self) -> None:
        listed = crate_list(self.OWN)
        self.assertEqual(find_section(elf_with_sections(listed)), listed)
        self.assertEqual(find_section(macho_with_section(listed)), listed)
        self.assertIsNone(find_section(elf(62)))
        self.assertIsNone(find_section(macho(0x0100_000C, 11, 0)))

    def test_program_of_the_release_has_the_list(self) -> None:
        with self.assertRaisesRegex(BuildError, "cargo auditable build"):
            self.check(elf(62), "serde")
        self.check(elf(62), "serde", is_required=False)

    def test_list_and_bill_of_materials_agree(self) -> None:
        program = elf_with_sections(crate_list(self.OWN, self.SERDE, self.BUILD))
        self.check(program, "serde")
        # A feature of another member of the workspace.
        self.check(program)
        for is_required in (True, False):
            with self.assertRaisesRegex(BuildError, "lacks crates of the bill of materials: libc 1.0.0"):
                self.check(program, "serde", "libc", is_required=is_required)

    def test_list_has_only_crates_of_the_lock_file(self) -> None:
        other = elf_with_sections(crate_list(self.OWN, self.SERDE | {"version": "0.9.0"}))
        with self.assertRaisesRegex(BuildError, "Cargo.lock lacks crates of the program: serde 0.9.0"):
            self.check(other)

    def test_damaged_list_is_refused(self) -> None:
        for damaged in (b"", b"no zlib", zlib.compress(b"{}"), zlib.compress(b"[]")):
            with self.assertRaisesRegex(BuildError, "cannot be read"):
                self.check(elf_with_sections(damaged), "serde")


class BuildTest(unittest.TestCase):
    def build(self, folder: str) -> dict[str, str]:
        program = Path(folder) / "program"
        program.write_bytes(elf({"x86_64": 62, "aarch64": 183}[MACHINE]))
        out = Path(folder) / "out"
        # The target of the other tests, whose crates this machine has.
        options = ["--program", program, "--target", f"{MACHINE}-unknown-linux-gnu", "--out", out, "--quick"]
        subprocess.run([ROOT / "packaging" / "build", *options], check=True, capture_output=True)
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in out.iterdir()}

    def test_same_program_gives_the_same_bytes(self) -> None:
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            built = self.build(one)
            self.assertEqual(built, self.build(other))
            self.assertEqual(len(built), 7)

    def test_formula_has_the_checksum_of_each_tarball(self) -> None:
        version = read_project().version
        with tempfile.TemporaryDirectory() as folder:
            command = [ROOT / "packaging" / "collect", "--folder", folder, "--address", "https://example.com/files"]
            refused = subprocess.run(command, capture_output=True, text=True)
            self.assertIn("the formula needs countersign-", refused.stderr)
            triples = [triple for triple in TARGETS if not triple.endswith("-gnu")]
            for triple in triples:
                (Path(folder) / f"countersign-{version}-{triple}.tar.gz").write_text(triple)
            subprocess.run(command, check=True)
            formula = (Path(folder) / "countersign.rb").read_text()
            for triple in triples:
                digest = hashlib.sha256(triple.encode()).hexdigest()
                url = f'url "https://example.com/files/countersign-{version}-{triple}.tar.gz"'
                self.assertIn(f'{url}\n      sha256 "{digest}"', formula)
            self.assertNotIn("@", formula)
            sums = (Path(folder) / "SHA256SUMS").read_text()
            self.assertEqual(len(sums.splitlines()), len(triples) + 1)

    def test_clients_have_the_licences(self) -> None:
        for client in ("python", "typescript"):
            for name in ("LICENSE-APACHE", "LICENSE-MIT"):
                copy = ROOT / "clients" / client / name
                self.assertEqual(copy.read_bytes(), (ROOT / name).read_bytes(), copy)

    def test_repeated_crates_keep_their_edges(self) -> None:
        tree = "0\ta v1.0.0 (path)\n1\tb v2.0.0\n2\tc v3.0.0\n1\td v4.0.0\n2\tb v2.0.0 (*)\n"
        a, b, c, d = ("a", "1.0.0"), ("b", "2.0.0"), ("c", "3.0.0"), ("d", "4.0.0")
        self.assertEqual(read_tree(tree), {a: {b, d}, b: {c}, c: set(), d: {b}})

    def test_every_target_is_a_pair_of_a_system_and_a_processor(self) -> None:
        for target in TARGETS.values():
            self.assertEqual(target.npm, f"{target.npm_os}-{target.npm_cpu}")


if __name__ == "__main__":
    unittest.main(verbosity=1)
