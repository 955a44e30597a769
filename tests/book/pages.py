"""Reads a page of the built book."""

import collections
import html.parser

# Elements without an end tag.
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
CODE = {"code", "pre", "script", "style", "svg"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.loads, self.all_ids, self.pictures_without_text = [], [], [], []
        self.prose, self.diagrams = "", 0
        self._open = []

    @property
    def ids(self):
        return set(self.all_ids)

    def repeated_ids(self):
        return [name for name, count in collections.Counter(self.all_ids).items() if count > 1]

    def handle_starttag(self, tag, attributes):
        values = {name: value or "" for name, value in attributes}
        if "id" in values:
            self.all_ids.append(values["id"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        loaded = values.get("src") or (values.get("href") if tag == "link" else None)
        if loaded:
            self.loads.append(loaded)
            self.links.append(loaded)
        if tag == "img" and not values.get("alt"):
            self.pictures_without_text.append(values.get("src"))
        if tag == "svg" and "cs-diagram" in values.get("class", ""):
            self.diagrams += 1
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, text):
        if "main" in self._open and not CODE.intersection(self._open):
            self.prose += text


def read_page(path):
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page
