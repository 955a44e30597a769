"""An empty system in a folder, in which dpkg installs a package with its scripts.

The scripts run with this machine's programs and get the folder as DPKG_ROOT, so no part of this machine is in the folder.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from machine import PATH, list_files, require

# Programs that the package's scripts call are on this machine, not in the folder, so dpkg cannot know of their packages.
OPTIONS = ("--force-script-chrootless", "--force-depends")
# What dpkg and systemd-sysusers keep. The user of a removed service stays, because files may belong to it.
KEPT = re.compile(r"etc/((passwd|group|shadow|gshadow)-?|\.pwd\.lock)|var/lib/dpkg/.*|var/log/dpkg\.log")


class DebianRoot:
    """The root folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("etc", "usr/lib/systemd/system", "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/log"):
            (folder / name).mkdir(parents=True)
        (folder / "var/lib/dpkg/status").touch()
        (folder / "etc/passwd").write_text("root:x:0:0:root:/:/bin/sh\n")
        (folder / "etc/group").write_text("root:x:0:\n")

    def dpkg(self, *words: str | Path) -> str:
        environment = {"PATH": PATH, "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/"}
        command = ["dpkg", f"--root={self.folder}", f"--log={self.folder}/var/log/dpkg.log", *OPTIONS, *map(str, words)]
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        require(done.returncode == 0, f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def files(self) -> list[str]:
        return [name for name in list_files(self.folder) if not KEPT.fullmatch(name)]

    def require_user(self, name: str) -> None:
        users = (self.folder / "etc/passwd").read_text().splitlines()
        user = next((line for line in users if line.startswith(f"{name}:")), None)
        require(user is not None, f"the package made no user {name}")
        require(user.split(":")[5] == "/var/lib/countersign", f"the user's home folder is another one: {user}")

    def require_enabled(self, *units: str) -> None:
        links = {path.name: os.readlink(path) for path in (self.folder / "etc/systemd").rglob("*") if path.is_symlink()}
        for unit in units:
            require(links.get(unit, "").endswith(f"/lib/systemd/system/{unit}"), f"{unit} is not enabled: {links}")
