"""The list of other projects' crates in the program, with their licences' texts."""

from __future__ import annotations

from .dependencies import Crate, Dependencies
from .project import Target, read_text

RULE = "=" * 100
HEAD = """\
Crates of other projects in the program countersign
{rule}

The program contains these crates. Each has its own licence, and the notices that follow this list are theirs. SQLite is
in the crate libsqlite3-sys, and is in the public domain. The Rust standard library is licensed under MIT or Apache-2.0,
whose texts are in LICENSE-MIT and LICENSE-APACHE beside this file: its copyright is that of the Rust project's contributors.

"""
# A static program contains the C library, too.
MUSL_COPYRIGHT = "Copyright © 2005-2020 Rich Felker, et al."
NO_TEXT = """\
These crates come without a licence text of their own; the list above names their licences:

"""


def write_third_party(target: Target, dependencies: Dependencies) -> bytes:
    lines = [f"{crate.name} {crate.version}: {crate.licence}" for crate in dependencies.crates]
    parts = [HEAD.format(rule=RULE), "\n".join(lines), "\n"]
    # Most crates share a text, so each text is there once.
    users: dict[str, list[Crate]] = {}
    bare = []
    for crate in dependencies.crates:
        texts = crate.licence_texts()
        for text in texts:
            users.setdefault(text, []).append(crate)
        if not texts:
            bare.append(crate)
    for text, crates in users.items():
        parts.append(f"\n{RULE}\n{_names(crates)}\n{RULE}\n\n{text}\n")
    if target.triple.endswith("-musl"):
        parts.append(f"\n{RULE}\nThe C library musl\n{RULE}\n\n{MUSL_COPYRIGHT}\n\n{_mit_terms()}\n")
    if bare:
        parts.append(f"\n{RULE}\n{NO_TEXT}{_names(bare)}\n")
    return "".join(parts).encode()


def _mit_terms() -> str:
    """The terms of the MIT licence, without the copyright of Countersign above them."""
    return "Permission is" + read_text("LICENSE-MIT").decode().partition("Permission is")[2].rstrip()


def _names(crates: list[Crate]) -> str:
    return "\n".join(dict.fromkeys(f"{crate.name} {crate.version}" for crate in crates))
