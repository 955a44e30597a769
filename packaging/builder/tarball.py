"""The tarball: the program, its licences and the files that a service needs, in one folder."""

from __future__ import annotations

from .archives import PackedFile, Packing, gzip_bytes, tar_bytes
from .contents import Contents
from .program import Program
from .project import Project, Target, read_text

SERVICE_FILES = {
    "share/grafana.json": "packaging/grafana/countersign.json",
    "share/policy.toml": "crates/policy/src/shipped.toml",
    "share/postgres-roles.sql": "packaging/postgres/roles.sql",
    "share/prometheus-alerts.yml": "packaging/prometheus/alerts.yml",
    "share/systemd/countersign.service": "packaging/systemd/countersign.service",
    "share/systemd/countersign.socket": "packaging/systemd/countersign.socket",
    "share/systemd/countersign.sysusers": "packaging/systemd/countersign.sysusers",
}


def tarball_name(project: Project, triple: str) -> str:
    return f"countersign-{project.version}-{triple}"


def build_tarball(
    project: Project, target: Target, program: Program, contents: Contents, packing: Packing
) -> PackedFile:
    name = tarball_name(project, target.triple)
    files = [
        PackedFile("countersign", program.content, executable=True),
        PackedFile("README.md", contents.readme),
        PackedFile("CHANGELOG.md", read_text("CHANGELOG.md")),
        PackedFile("countersign.cdx.json", contents.sbom),
        *(PackedFile(path, text) for path, text in contents.licences().items()),
        *(PackedFile(path, read_text(source)) for path, source in SERVICE_FILES.items()),
    ]
    return PackedFile(f"{name}.tar.gz", gzip_bytes(tar_bytes(files, packing, prefix=f"{name}/"), packing))
