"""SHA256SUMS: the checksum of each package in a folder, in the format of `sha256sum --check`."""

from __future__ import annotations

import hashlib
from pathlib import Path

NAME = "SHA256SUMS"


def write_sums(folder: Path) -> None:
    files = sorted(file for file in folder.iterdir() if file.is_file() and file.name != NAME)
    (folder / NAME).write_text("".join(f"{digest(file)}  {file.name}\n" for file in files))


def digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
