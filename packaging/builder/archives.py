"""Archives whose bytes depend on their contents alone: files are sorted, and times, owners and modes are fixed."""

from __future__ import annotations

import dataclasses
import gzip
import io
import lzma
import tarfile
import time
import zipfile
from collections.abc import Iterable
from pathlib import PurePosixPath


@dataclasses.dataclass(frozen=True)
class PackedFile:
    """A file in a package."""

    path: str
    content: bytes
    executable: bool = False

    @property
    def mode(self) -> int:
        return 0o755 if self.executable else 0o644


@dataclasses.dataclass(frozen=True)
class Packing:
    """How archives are written."""

    fixed_time: int
    quick: bool = False

    @property
    def gzip_level(self) -> int:
        return 1 if self.quick else 9

    @property
    def xz_preset(self) -> int:
        return 0 if self.quick else 6


def sorted_files(files: Iterable[PackedFile]) -> list[PackedFile]:
    return sorted(files, key=lambda file: file.path)


def parent_folders(files: Iterable[PackedFile]) -> list[str]:
    """All folders above the files, each after its own parent."""
    folders = {str(folder) for file in files for folder in PurePosixPath(file.path).parents}
    return sorted(folders - {"."})


def tar_bytes(files: Iterable[PackedFile], packing: Packing, prefix: str = "", with_folders: bool = False) -> bytes:
    files = sorted_files(files)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for folder in parent_folders(files) if with_folders else ():
            entry = _entry(f"{prefix}{folder}/", 0o755, packing)
            entry.type = tarfile.DIRTYPE
            archive.addfile(entry)
        for file in files:
            entry = _entry(prefix + file.path, file.mode, packing)
            entry.size = len(file.content)
            archive.addfile(entry, io.BytesIO(file.content))
    return buffer.getvalue()


def _entry(name: str, mode: int, packing: Packing) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.mode = mode
    entry.mtime = packing.fixed_time
    entry.uname = entry.gname = "root"
    return entry


def gzip_bytes(content: bytes, packing: Packing) -> bytes:
    buffer = io.BytesIO()
    # Without a name and with a fixed time, which gzip otherwise stores.
    with gzip.GzipFile("", "wb", packing.gzip_level, buffer, packing.fixed_time) as compressed:
        compressed.write(content)
    return buffer.getvalue()


def xz_bytes(content: bytes, packing: Packing) -> bytes:
    return lzma.compress(content, preset=packing.xz_preset)


def zip_bytes(files: Iterable[PackedFile], packing: Packing) -> bytes:
    """The files in the order given: readers of wheels expect the metadata at the end."""
    buffer = io.BytesIO()
    stamp = time.gmtime(packing.fixed_time)[:6]
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=packing.gzip_level) as archive:
        for file in files:
            entry = zipfile.ZipInfo(file.path, stamp)
            entry.create_system = 3
            entry.external_attr = (0o100000 | file.mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.content)
    return buffer.getvalue()
