"""The ways to install and run the program. Each installs a package from local files, and removes it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from debian_root import DebianRoot
from machine import Home, list_files, require

# What the program itself keeps for its user, which stays when a package is removed.
OWN_FILES = (".local/share/countersign/", ".local/state/countersign/")
Tried = Callable[[Home, list[str | Path]], None]


class Packages:
    """The folder with the built packages."""

    def __init__(self, folder: Path, uv: Path) -> None:
        self.folder = folder
        self.uv = uv

    def find(self, pattern: str) -> Path:
        found = sorted(self.folder.glob(pattern))
        require(len(found) == 1, f"{pattern} should name one package, and names {found}")
        return found[0]

    @property
    def npm(self) -> list[Path]:
        main = self.find("countersign-[0-9]*.tgz")
        return [main, self.find("countersign-linux-*.tgz")]


def require_nothing_left(before: list[str], after: list[str]) -> None:
    left = sorted(set(after) - set(before))
    require(not left, f"these files are left: {left}")


def require_own_files_only(home: Home, *caches: str) -> None:
    left = [file for file in home.files() if not file.startswith((*OWN_FILES, *caches))]
    require(not left, f"these files are left in the home folder: {left}")


def try_wheel(packages: Packages, home: Home, tried: Tried) -> None:
    place = home.folder.parent / "venv"
    home.run(sys.executable, "-m", "venv", place)
    pip = [place / "bin" / "pip", "--disable-pip-version-check"]
    before = list_files(place)
    home.run(*pip, "install", "--no-index", packages.find("countersign_server-*.whl"))
    tried(home, [place / "bin" / "countersign"])
    home.run(*pip, "uninstall", "--yes", "countersign-server")
    require_nothing_left(before, list_files(place))
    require_own_files_only(home)


def uv_options(packages: Packages) -> list[str | Path]:
    return ["--offline", "--no-index", "--find-links", packages.folder, "--python", sys.executable]


def try_uvx(packages: Packages, home: Home, tried: Tried) -> None:
    """`uvx --from countersign-server countersign`, which installs nothing. `uvx` is short for `uv tool run`."""
    tried(home, [packages.uv, "tool", "run", *uv_options(packages), "--from", "countersign-server", "countersign"])
    # Next to its cache, uv keeps a lock for its tools.
    require_own_files_only(home, ".cache/uv/", ".local/share/uv/tools/.")


def try_uv(packages: Packages, home: Home, tried: Tried) -> None:
    home.run(packages.uv, "tool", "install", *uv_options(packages), "countersign-server")
    tried(home, [home.folder / ".local" / "bin" / "countersign"])
    home.run(packages.uv, "tool", "uninstall", "countersign-server")
    require_own_files_only(home, ".cache/uv/", ".local/share/uv/")
    left = [file for file in list_files(home.folder / ".local" / "share" / "uv") if "countersign" in file]
    require(not left, f"these files are left: {left}")


def try_npm(packages: Packages, home: Home, tried: Tried) -> None:
    place = home.folder.parent / "npm"
    npm = ["npm", "--offline", "--global", "--prefix", place]
    place.mkdir()
    before = list_files(place)
    home.run(*npm, "install", *packages.npm)
    command = place / "bin" / "countersign"
    tried(home, [command])
    require_launcher(home, command)
    home.run(*npm, "uninstall", "@countersign/linux-x64", "@countersign/linux-arm64")
    message = home.run(command, "--version", code=1)
    require("npm install --include=optional countersign" in message, message)
    home.run(*npm, "uninstall", "countersign")
    require_nothing_left(before, list_files(place))
    require_own_files_only(home, ".npm/")


def try_npx(packages: Packages, home: Home, tried: Tried) -> None:
    """`npx countersign`, which installs nothing. From an index, npm finds both packages by one name."""
    words = [f"--package={package}" for package in packages.npm]
    tried(home, ["npx", "--offline", "--yes", *words, "--", "countersign"])
    require_own_files_only(home, ".npm/")


def require_launcher(home: Home, command: Path) -> None:
    """The launcher passes signals, the exit code and its streams."""
    home.run(command, "show", "call_none", code=4)
    server = subprocess.Popen(
        [command, "serve", "--json", "--listen", "127.0.0.1:0"],
        env=home.environment, cwd=home.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        facts = json.loads(server.stdout.readline())
        require(facts["listening"], f"`serve` prints {facts}")
        server.send_signal(signal.SIGTERM)
        code = server.wait(30)
        require(code == 0, f"`serve` ended with {code} after SIGTERM: {server.stderr.read()}")
    finally:
        server.kill()


def try_deb(packages: Packages, home: Home, tried: Tried) -> None:
    root = DebianRoot(home.folder.parent / "system")
    before = root.files()
    root.dpkg("--install", packages.find("countersign_*.deb"))
    root.require_user("countersign")
    root.require_enabled("countersign.service", "countersign.socket")
    require(not root.dpkg("--verify", "countersign"), "files differ from md5sums")
    policy = root.folder / "etc" / "countersign" / "policy.toml"
    home.run(root.folder / "usr" / "bin" / "countersign", "policy", "check", "--policy", policy)
    tried(home, [root.folder / "usr" / "bin" / "countersign"])
    root.dpkg("--remove", "countersign")
    require(policy.exists(), "the policy is gone after `dpkg --remove`: it may have been edited")
    root.dpkg("--purge", "countersign")
    require_nothing_left(before, root.files())
    require_own_files_only(home)


def try_tarball(packages: Packages, home: Home, tried: Tried) -> None:
    place = home.folder.parent / "unpacked"
    place.mkdir()
    home.run("tar", "--extract", "--gzip", "--file", packages.find("countersign-*.tar.gz"), "--directory", place)
    (folder,) = place.iterdir()
    tried(home, [folder / "countersign"])
    require_own_files_only(home)


WAYS = {
    "wheel": try_wheel,
    "uv": try_uv,
    "uvx": try_uvx,
    "npm": try_npm,
    "npx": try_npx,
    "deb": try_deb,
    "tarball": try_tarball,
}
