"""Checks the examples of all pages with the programs that read them: Python, bash and nginx. Other tests run them."""

import ast
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def examples(language):
    pattern = re.compile(rf"^```{language}\n(.*?)^```", re.MULTILINE | re.DOTALL)
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.split():
        for block in pattern.findall((ROOT / name).read_text(encoding="utf-8")):
            yield name, block


class PythonExamples(unittest.TestCase):
    def test_examples_are_python(self):
        count = 0
        for name, block in examples("python"):
            try:
                compile(block, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST)
            except SyntaxError as error:
                self.fail(f"{name}: {error}\n{block}")
            count += 1
        self.assertGreater(count, 10)


class ShellExamples(unittest.TestCase):
    def test_examples_are_shell_scripts(self):
        blocks = list(examples("sh"))
        for name, block in blocks:
            done = subprocess.run(["bash", "-n"], input=block, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, f"{name}: {done.stderr}\n{block}")
        self.assertGreater(len(blocks), 3)


class NginxExamples(unittest.TestCase):
    """nginx reads each configuration, with a certificate in the place of the reader's own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.key, self.certificate = self.folder / "key.pem", self.folder / "certificate.pem"
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=approvals.example"]
        subprocess.run([*command, "-keyout", self.key, "-out", self.certificate], capture_output=True, check=True)

    def test_examples_are_accepted(self):
        nginx = shutil.which("nginx") or "/usr/sbin/nginx"
        blocks = list(examples("nginx"))
        for name, block in blocks:
            block = re.sub(r"(ssl_certificate_key) [^;]+", rf"\1 {self.key}", block)
            block = re.sub(r"(ssl_certificate) [^;]+", rf"\1 {self.certificate}", block)
            temporary = "".join(f"{kind}_temp_path {self.folder}/{kind};\n" for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
            (self.folder / "nginx.conf").write_text(
                f"pid {self.folder}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{temporary}{block}}}\n", encoding="utf-8"
            )
            done = subprocess.run(
                [nginx, "-t", "-p", self.folder, "-c", self.folder / "nginx.conf"], capture_output=True, text=True, check=False
            )
            self.assertEqual(done.returncode, 0, f"{name}: {done.stderr}")
        self.assertGreater(len(blocks), 1)


if __name__ == "__main__":
    unittest.main()
