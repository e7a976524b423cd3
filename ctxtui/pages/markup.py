"""Markup: elements of a page whose texts can't be anything but text.

What comes from data is a plain string: it is escaped, and what acts on a reader is shown as a
symbol. Only what was made here is taken as markup.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from ctxtui.text.icons import PASSED
from ctxtui.text.symbols import printable

LONGEST = 300
"""Characters of a text that a page shows; titles and reasons may have any length."""


class Html(str):
    """Markup that was made here."""

    __slots__ = ()


Child = Html | str | int | None
"""What stands in an element: markup, text, a number to be grouped, or nothing."""


def element(name: str, *children: Child, **attributes: str | int | float | None) -> Html:
    """Return an element; ``class_`` is its class, and an attribute that is None is left out."""
    told = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{safe(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{told}>{joined(children)}</{name}>")


def joined(children: Iterable[Child]) -> Html:
    """Return several of them, one after the other."""
    return Html("".join(_inside(one) for one in children))


def _inside(child: Child) -> str:
    match child:
        case None:
            return ""
        case Html():
            return child
        case int():
            return f"{child:,}"
        case _:
            return safe(child)


def safe(text: str) -> Html:
    """Return any text as markup that shows it on one line."""
    return Html(escape(printable(text)))


def section(title: str, *children: Child) -> Html:
    """Return a part of a page with its title."""
    return element("section", element("h2", title), *children)


def sentence(*children: Child) -> Html:
    """Return a remark between what matters."""
    return element("p", *children, class_="faint")


def good_news(words: str) -> Html:
    """Return what stands where there is nothing to tell, and that is good."""
    return sentence(element("span", PASSED.glyph, class_="ok"), " ", words)


def cut(text: str, most: int = LONGEST) -> str:
    """Return a text that is not too long to be read, and say how long it was."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def cut_path(path: str, most: int = LONGEST) -> str:
    """Return a path that is not too long; how it ends says more than its middle."""
    half = most // 2
    return path if len(path) <= most else f"{path[:half]}…{path[-half:]}"


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun; ``many`` where an s is not enough."""
    return f"{count:,} {one}" if count == 1 else f"{count:,} {many or f'{one}s'}"


def short(count: int) -> str:
    """Return a number for an axis: 940, 2.4k, 214k, 3.1M."""
    for unit, sign in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if count >= unit:
            digits = 0 if count >= 100 * unit or not count % unit else 1
            return f"{count / unit:.{digits}f}{sign}"
    return str(count)


def size_in_words(size: int) -> str:
    """Return a size of files: exactly, and from a thousand bytes on as one says it too."""
    exact = plural(size, "byte")
    for unit, sign in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:,.1f} {sign} ({exact})"
    return exact
