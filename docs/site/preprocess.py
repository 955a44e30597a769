"""A preprocessor of mdBook: makes a site from pages that are written for a code host.

- A page of SUMMARY.md outside of docs/ (a client's README, CHANGELOG.md) gets its path in the site.
- An index, such as that of the decisions, gets the pages of its folder that it links to.
- A link to another text file of the repository leads to a page that shows the file.
- A diagram is drawn into the page, so that it has the theme's colours and a search finds its words.
"""

import html
import json
import os
import re
import sys

DOCS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(DOCS)
# The folder in the site of everything that is outside of docs/.
OUTSIDE = "repository"
CODE = re.compile(
    r"^(```+|~~~+).*?^\1[`~]*$"  # a fenced block
    r"|^(?: {4}|\t)[^\n]*$"  # a line in an indented block
    r"|(?<!`)(`+)(?!`)(?:(?!\n\n).)*?(?<!`)\2(?!`)",  # code in a line
    re.MULTILINE | re.DOTALL,
)
LINK = re.compile(r"(\]\()([^()\s]+)(\))")
DIAGRAM = re.compile(r"^!\[([^\]]*)\]\(([^()\s]+\.svg)\)$", re.MULTILINE)


def walk_chapters(items):
    for item in items:
        chapter = item.get("Chapter") if isinstance(item, dict) else None
        if chapter:
            yield chapter
            yield from walk_chapters(chapter["sub_items"])


def new_chapter(name, path, content, parents=(), number=None):
    chapter = {"name": name, "content": content, "number": number, "sub_items": [], "path": path}
    return {"Chapter": {**chapter, "source_path": path, "parent_names": list(parents)}}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def site_path(path):
    """The site path of a file whose path is relative to the repository."""
    inside = os.path.relpath(path, "docs")
    return os.path.join(OUTSIDE, path) if inside.startswith("..") else inside


def outside_code(pattern, replace, text):
    """Replaces a pattern in the text, but not in its code."""
    parts, end = [], 0
    for code in CODE.finditer(text):
        parts += [pattern.sub(replace, text[end : code.start()]), code.group()]
        end = code.end()
    return "".join([*parts, pattern.sub(replace, text[end:])])


def add_indexed_pages(index, known):
    """Adds the pages below an index's folder that it links to, and that the navigation does not have itself."""
    folder = os.path.dirname(index["source_path"])
    for name, target in re.findall(r"\[([^\]]+)\]\(([^()\s#]+\.md)\)", index["content"]):
        path = os.path.normpath(os.path.join(folder, target))
        if path in known or not path.startswith(f"{folder}/"):
            continue
        known.add(path)
        number = [*index["number"], len(index["sub_items"]) + 1]
        name = " ".join(name.replace("`", "").split())
        index["sub_items"].append(new_chapter(name, path, read(os.path.join(DOCS, path)), [index["name"]], number))


class Site:
    def __init__(self, book):
        self.items = book["items"]
        self.files = {}
        known = {os.path.normpath(chapter["source_path"]) for chapter in walk_chapters(self.items)}
        for chapter in list(walk_chapters(self.items)):
            if chapter["source_path"].endswith("/README.md"):
                add_indexed_pages(chapter, known)
        # From the path in the repository to the place in the site.
        self.pages = {}
        for chapter in walk_chapters(self.items):
            source = os.path.normpath(os.path.join("docs", chapter["source_path"]))
            chapter["source"] = source
            self.pages[source] = index_name(site_path(source))

    def rewrite(self):
        for chapter in list(walk_chapters(self.items)):
            source = chapter.pop("source")
            chapter["path"] = self.pages[source]
            content = DIAGRAM.sub(lambda found: self.draw(source, found), chapter["content"])
            chapter["content"] = outside_code(LINK, lambda found: self.redirect(source, found), content)
        self.add_files()

    def redirect(self, source, found):
        """A link from a page, as it is in the site."""
        target, hash_sign, anchor = found.group(2).partition("#")
        if not target or "://" in target:
            return found.group()
        path = os.path.normpath(os.path.join(os.path.dirname(source), target))
        place = self.pages.get(path) or self.show_file(path)
        place = os.path.relpath(place, os.path.dirname(self.pages[source]) or ".")
        return f"{found.group(1)}{place}{hash_sign}{anchor}{found.group(3)}"

    def show_file(self, path):
        """The site path of a file that is not a page. A plain file outside of docs/ gets a page that shows it."""
        place = site_path(path)
        if not place.startswith(OUTSIDE):
            return place
        if not os.path.isfile(os.path.join(ROOT, path)):
            sys.exit(f"a page links to {path}: link to a file that the site can show")
        language = os.path.splitext(path)[1].lstrip(".").replace("service", "ini")
        fence = f"````{language}\n{read(os.path.join(ROOT, path)).rstrip()}\n````"
        self.files[path] = (f"{place}.md", f"# {os.path.basename(path)}\n\n`{path}` in the repository:\n\n{fence}\n")
        return f"{place}.md"

    def add_files(self):
        """A page that lists the shown files, with their pages below it in the navigation."""
        if not self.files:
            return
        links = "".join(f"- [`{name}`]({os.path.relpath(self.files[name][0], OUTSIDE)})\n" for name in sorted(self.files))
        page = new_chapter("Files", f"{OUTSIDE}/files.md", f"# Files\n\nThe files that the pages link to.\n\n{links}", number=[1000])
        for number, name in enumerate(sorted(self.files), 1):
            page["Chapter"]["sub_items"].append(new_chapter(name, *self.files[name], ["Files"], [1000, number]))
        self.items.append(page)

    def draw(self, source, found):
        path = os.path.join(ROOT, os.path.dirname(source), found.group(2))
        drawing = read(path)
        if 'class="cs-diagram"' not in drawing:
            return found.group()
        drawing = re.sub(r"<\?xml.*?\?>\s*", "", drawing)
        # It scrolls on a phone, also with the keys.
        start = f'<div class="cs-diagram-frame" tabindex="0" role="group" aria-label="{html.escape(found.group(1))}">'
        return "\n".join([start, re.sub(r"\n\s*\n", "\n", drawing.strip()), "</div>"])


def index_name(path):
    folder, name = os.path.split(path)
    return os.path.join(folder, "index.md") if name == "README.md" else path


def main():
    if sys.argv[1:2] == ["supports"]:
        sys.exit(0 if sys.argv[2] == "html" else 1)
    _, book = json.load(sys.stdin)
    site = Site(book)
    site.rewrite()
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    main()
