"""The documents as the tests read them: sections, tables, blocks of code and links."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_sessions"

_HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Page:
    """A document, or one section of it."""

    path: Path
    text: str

    @property
    def name(self) -> str:
        """Return its path from the root of the project."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def prose(self) -> str:
        """Return the text without blocks of code."""
        return _BLOCK.sub("", self.text)

    @property
    def headings(self) -> list[str]:
        """Return its headings, without the signs before them."""
        return [title for _, title in _HEADING.findall(self.prose)]

    @property
    def anchors(self) -> set[str]:
        """Return what a link to one of its headings ends with."""
        return {anchor_of(title) for title in self.headings}

    @property
    def links(self) -> list[str]:
        """Return where its links and pictures lead."""
        return _LINK.findall(_CODE.sub("", self.prose))

    @property
    def code(self) -> list[str]:
        """Return the code between backticks in its sentences and tables."""
        return _CODE.findall(self.prose)

    def blocks(self, language: str = "") -> list[str]:
        """Return its blocks of code in one language; those without a name are transcripts."""
        return [text for name, text in _BLOCK.findall(self.text) if name == language]

    def section(self, title: str) -> Page:
        """Return the section below a heading, up to the next one that is as high."""
        found = next(one for one in _HEADING.finditer(self.text) if one[2] == title)
        rest = self.text[found.end() :]
        end = re.search(rf"^#{{1,{len(found[1])}}} ", _blanked(rest), re.MULTILINE)
        return Page(self.path, rest[: end.start()] if end else rest)

    def table(self, heading: str) -> list[list[str]]:
        """Return the cells of the table whose first column is called so."""
        start = self.text.index(f"| {heading} |")
        rows = self.text[start:].split("\n\n", 1)[0].splitlines()[2:]
        return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def _blanked(text: str) -> str:
    """Return a text of the same length in which no block of code looks like a heading."""
    return _BLOCK.sub(lambda block: re.sub(r"#", "x", block[0]), text)


def anchor_of(title: str) -> str:
    """Return the anchor that a heading gets where Markdown is shown."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def code_in(cell: str) -> list[str]:
    """Return the code between backticks in the cell of a table."""
    return _CODE.findall(cell)


def page(name: str) -> Page:
    """Return a document by its path from the root of the project."""
    path = ROOT / name
    return Page(path, path.read_text(encoding="utf-8"))


def all_pages() -> list[Page]:
    """Return every document."""
    paths = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").glob("*.md"))]
    return [page(path.relative_to(ROOT).as_posix()) for path in sorted(paths)]
