"""Draws boxes, arrows and words as SVG, readable on a light and on a dark page."""

from xml.sax.saxutils import escape

# A page outside of the book follows the system. In the book, `book.css` sets the same properties by its theme.
STYLE = """
.cs-diagram{--d-ground:#ffffff;--d-box:#f3f3f6;--d-line:#87878f;--d-text:#1b1b1f;--d-muted:#5f5f6b;
--d-accent:#4b46d6;--d-accent-ground:#eeedff;--d-allow:#14713d;--d-allow-ground:#e3f5ea;--d-deny:#b3261e;
--d-deny-ground:#fdeceb;--d-warn:#8a4b00;--d-warn-ground:#fff3dc;font:15px system-ui,sans-serif}
@media (prefers-color-scheme:dark){.cs-diagram{--d-ground:#18181d;--d-box:#26262e;--d-line:#74747f;--d-text:#ececf1;
--d-muted:#a3a3b2;--d-accent:#a5a2ff;--d-accent-ground:#25244a;--d-allow:#5cd492;--d-allow-ground:#12301f;
--d-deny:#ff8f87;--d-deny-ground:#3a1917;--d-warn:#f2b866;--d-warn-ground:#37270e}}
.cs-diagram .ground{fill:var(--d-ground)}
.cs-diagram .box{fill:var(--d-box);stroke:var(--d-line);stroke-width:1.5}
.cs-diagram .frame{fill:none;stroke:var(--d-line);stroke-dasharray:5 4}
.cs-diagram .accent{fill:var(--d-accent-ground);stroke:var(--d-accent)}
.cs-diagram .allow{fill:var(--d-allow-ground);stroke:var(--d-allow)}
.cs-diagram .deny{fill:var(--d-deny-ground);stroke:var(--d-deny)}
.cs-diagram .warn{fill:var(--d-warn-ground);stroke:var(--d-warn)}
.cs-diagram .arrow{fill:none;stroke:var(--d-muted);stroke-width:1.5}
.cs-diagram .head{fill:var(--d-muted);stroke:none}
.cs-diagram text{fill:var(--d-text)}
.cs-diagram .name{font-weight:600}
.cs-diagram .note{fill:var(--d-muted);font-size:13px}
.cs-diagram .code{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:13px}
"""
LINE_HEIGHT = 18


class Drawing:
    def __init__(self, name, width, height, title, description):
        self.name, self.width, self.height = name, width, height
        self.title, self.description = title, description
        self.parts = []

    def box(self, x, y, width, height, lines, kind="", name=True):
        """A box with words in its middle. The first line is its name."""
        self.parts.append(f'<rect class="box {kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="8"/>')
        top = y + height / 2 - (len(lines) - 1) * LINE_HEIGHT / 2 + 5
        for number, line in enumerate(lines):
            self.words(x + width / 2, top + number * LINE_HEIGHT, line, "name" if name and not number else "note", "middle")

    def frame(self, x, y, width, height, title):
        self.parts.append(f'<rect class="frame" x="{x}" y="{y}" width="{width}" height="{height}" rx="10"/>')
        self.words(x + 12, y + 22, title, "name")

    def words(self, x, y, text, kind="note", anchor="start"):
        self.parts.append(f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>')

    def note(self, x, y, *lines, anchor="start"):
        for number, line in enumerate(lines):
            self.words(x, y + number * 16, line, "note", anchor)

    def arrow(self, *points, head=True):
        """A line through the points, which ends with a head."""
        path = "M" + " L".join(f"{x} {y}" for x, y in points)
        self.parts.append(f'<path class="arrow" d="{path}"/>')
        if head:
            (from_x, from_y), (x, y) = points[-2:]
            step_x, step_y = (x > from_x) - (x < from_x), (y > from_y) - (y < from_y)
            back_x, back_y = x - 9 * step_x, y - 9 * step_y
            corners = [(x, y), (back_x + 5 * step_y, back_y + 5 * step_x), (back_x - 5 * step_y, back_y - 5 * step_x)]
            self.parts.append('<path class="head" d="M' + " L".join(f"{a} {b}" for a, b in corners) + ' Z"/>')

    def svg(self):
        labels = f'aria-labelledby="{self.name}-title" aria-describedby="{self.name}-description"'
        head = [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="cs-diagram" role="img" {labels} '
            f'viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}">',
            f'<title id="{self.name}-title">{escape(self.title)}</title>',
            f'<desc id="{self.name}-description">{escape(self.description)}</desc>',
            f"<style>{STYLE}</style>",
            f'<rect class="ground" width="{self.width}" height="{self.height}" rx="12"/>',
        ]
        return "\n".join([*head, *self.parts, "</svg>", ""])
