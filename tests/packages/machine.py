"""A machine without Rust: its own network, processes and mounts, and a PATH with system programs and Node.js alone.

`tests/packages/run` starts this program in new namespaces, so nothing here reaches the machine outside, and all
processes end with the test.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import struct
import subprocess
from pathlib import Path

# Node.js may be in a folder of its own. The npm packages need it.
NODE = Path(shutil.which("node") or "/usr/bin/node").parent
PATH = f"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:{NODE}"
RUST = ("cargo", "rustc", "rustup")
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


class PackageError(Exception):
    """A package that does not do what it should."""


def require(condition: object, message: str) -> None:
    if not condition:
        raise PackageError(message)


def hide_rust() -> None:
    """Mounts empty folders and files over Rust, and checks that no program can find it."""
    home = Path.home()
    for variable, folder in (("CARGO_HOME", home / ".cargo"), ("RUSTUP_HOME", home / ".rustup")):
        path = Path(os.environ.get(variable, folder))
        if path.is_dir():
            subprocess.run(["mount", "-t", "tmpfs", "tmpfs", path], check=True)
    for name in RUST:
        while found := shutil.which(name, path=PATH):
            subprocess.run(["mount", "--bind", "/dev/null", found], check=True)
    left = [name for name in RUST if shutil.which(name, path=f"{os.environ['PATH']}:{PATH}")]
    require(not left, f"the machine still has {', '.join(left)}")


def start_loopback() -> None:
    """A new network has a loopback device that is down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sh14x", b"lo", 0)
        (flags,) = struct.unpack_from("h", fcntl.ioctl(control, SIOCGIFFLAGS, request), 16)
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP))
    devices = [name for _, name in socket.if_nameindex()]
    require("lo" in devices, "the machine has no loopback device")


class Home:
    """An empty home folder, and the commands of its user."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        temporary = folder.parent / f"{folder.name}-tmp"
        temporary.mkdir()
        self.environment = {"HOME": str(folder), "TMPDIR": str(temporary), "PATH": PATH, "LANG": "C.UTF-8"}
        # Nothing here reaches a registry, so npm need not ask for newer versions of itself.
        self.environment |= {"npm_config_update_notifier": "false", "npm_config_audit": "false", "npm_config_fund": "false"}

    def run(self, *command: str | Path, code: int = 0, timeout: float = 120) -> str:
        """Runs a command, and returns what it prints. With an expected failure, errors are a part of that."""
        words = list(map(str, command))
        errors = subprocess.PIPE if code == 0 else subprocess.STDOUT
        done = subprocess.run(
            words, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
            text=True, timeout=timeout,
        )  # fmt: skip
        output = f"{done.stdout}{done.stderr or ''}"
        require(done.returncode == code, f"{' '.join(words)} ended with {done.returncode}, not {code}:\n{output}")
        return done.stdout

    def files(self) -> list[str]:
        return list_files(self.folder)


def list_files(folder: Path) -> list[str]:
    """All files and links below a folder. Python's compiled modules are no part of a package."""
    files = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted(str(path.relative_to(folder)) for path in files if path.suffix != ".pyc")
