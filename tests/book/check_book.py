"""Checks the built book in the folder COUNTERSIGN_BOOK."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from pages import read_page

BOOK = pathlib.Path(os.environ["COUNTERSIGN_BOOK"])
# Pages that mdBook makes for itself.
WITHOUT_PAGE = {"toc.html"}


def pages():
    return {path.relative_to(BOOK).as_posix(): read_page(path) for path in sorted(BOOK.rglob("*.html"))}


def open_in_browser(path):
    """The page after its scripts ran, as text. The browser finds no host."""
    with tempfile.TemporaryDirectory() as profile:
        command = [shutil.which("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        command += [f"--user-data-dir={profile}", "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=60000"]
        command += ["--dump-dom", f"file://{BOOK}/{path}"]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


class LinkChecks(unittest.TestCase):
    def test_links_have_targets(self):
        known = pages()
        broken = []
        for name, page in known.items():
            if name in WITHOUT_PAGE:
                continue
            for link in page.links:
                target, _, anchor = link.partition("#")
                if "://" in target or target.startswith(("mailto:", "data:")):
                    continue
                path = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
                if not (BOOK / path).is_file():
                    broken.append(f"{name}: {link} does not exist")
                elif anchor and path in known and anchor not in known[path].ids:
                    broken.append(f"{name}: {link} has no such heading")
        self.assertEqual(broken, [])
        self.assertGreater(sum(len(page.links) for page in known.values()), 1000)

    def test_pages_need_no_other_host(self):
        foreign = [f"{name}: {link}" for name, page in pages().items() for link in page.loads if "//" in link]
        for path in BOOK.rglob("*.css"):
            loads = re.findall(r"(?:url\(|@import)\s*['\"]?([^'\")\s]+)", path.read_text(encoding="utf-8"))
            foreign += [f"{path.name}: {link}" for link in loads if "//" in link]
        self.assertEqual(foreign, [])

    def test_scripts_contact_no_other_host(self):
        """The script of mdBook contacts the Rust playground for the elements of the class `playground`."""
        for path in BOOK.rglob("*.js"):
            if not path.name.startswith("searchindex"):
                hosts = re.findall(r"\w\(\s*['\"`](?:https?:)?//([^/'\"`]+)", path.read_text(encoding="utf-8"))
                self.assertLessEqual(set(hosts), {"play.rust-lang.org"}, path.name)
        runnable = [path.name for path in BOOK.rglob("*.html") if 'class="playground"' in path.read_text(encoding="utf-8")]
        self.assertEqual(runnable, [])

    def test_ids_are_unique(self):
        repeated = {name: page.repeated_ids() for name, page in pages().items() if page.repeated_ids()}
        self.assertEqual(repeated, {})


class PageChecks(unittest.TestCase):
    def test_markdown_was_understood(self):
        """A table, a fence or a link that mdBook did not understand stays as it was typed."""
        typed = re.compile(r"^\s*\|.*\|\s*$|`|\]\([\w./#-]+\)|\*\*\w", re.MULTILINE)
        left = {name: typed.findall(page.prose) for name, page in pages().items()}
        self.assertEqual({name: found for name, found in left.items() if found}, {})

    def test_diagrams_are_in_their_pages(self):
        known = pages()
        for name in ["concepts.html", "architecture.html", "quick-start.html", "verdict.html"]:
            self.assertGreater(known[name].diagrams, 0, name)

    def test_each_picture_has_a_description(self):
        for name, page in pages().items():
            self.assertEqual(page.pictures_without_text, [], name)


class SearchChecks(unittest.TestCase):
    def test_search_works_without_a_network(self):
        page = open_in_browser("index.html?search=grant%20scope")
        results = re.search(r'<ul id="mdbook-searchresults".*?</ul>', page, re.DOTALL).group()
        self.assertIn("concepts.html", results)
        self.assertIn("events.html", results)

    def test_words_of_no_page_are_not_found(self):
        page = open_in_browser("index.html?search=xylophone")
        self.assertNotIn("<a ", re.search(r'<ul id="mdbook-searchresults".*?</ul>', page, re.DOTALL).group())


if __name__ == "__main__":
    unittest.main()
