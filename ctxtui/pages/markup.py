"""HTML pages in one file, which load nothing, and their elements.

Text is a plain string: it is escaped, and control characters are shown as symbols. Only `Html`,
which is made here, is used as markup.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from html import escape
from importlib.resources import files

from ctxtui.text.icons import PASSED
from ctxtui.text.plurals import plural
from ctxtui.text.symbols import printable

LONGEST = 300
"""Characters of a title or reason that a page shows."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
SCRIPT_POLICY = f"{POLICY}; script-src 'unsafe-inline'"
"""The content security policy of a page: it loads nothing."""
_PAGE = """<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


class Html(str):
    """Markup that was made here."""

    __slots__ = ()


Child = Html | str | int | None
"""The content of an element: markup, text, a number to be grouped, or nothing."""


def page(title: str, *body: Html, style: str, policy: str = POLICY, language: str = "en") -> str:
    """Return a whole page, with a style sheet of this package."""
    return _PAGE.format(
        language=language,
        policy=escape(policy),
        title=escape(title),
        style=asset(style),
        body="\n".join(body),
    )


@cache
def asset(name: str) -> str:
    """Return a style sheet or script of this package."""
    return (files(__package__) / name).read_text(encoding="utf-8")


def script(name: str) -> Html:
    """Return the element of a script of this package."""
    return Html(f"<script>\n{asset(name)}</script>")


def embedded_data(data: object) -> Html:
    """Return an element with JSON in it, which can neither end it nor begin another."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Html(f'<script type="application/json" id="data">{text}</script>')


def element(name: str, *children: Child, **attributes: str | int | float | None) -> Html:
    """Return an element; ``class_`` is its class, and an attribute that is None is left out."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{safe(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{given}>{joined(children)}</{name}>")


def span(css: str, *children: Child) -> Html:
    """Return a span of a class."""
    return element("span", *children, class_=css)


def dl(css: str, rows: Iterable[tuple[Child, Child]]) -> Html:
    """Return a list of terms and what is said of each."""
    pairs = (joined([element("dt", term), element("dd", said)]) for term, said in rows)
    return element("dl", *pairs, class_=css)


def joined(children: Iterable[Child]) -> Html:
    """Return children one after the other."""
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
    """Return a section of a page with its heading."""
    return element("section", element("h2", title), *children)


def sentence(*children: Child) -> Html:
    """Return a paragraph in a muted colour."""
    return element("p", *children, class_="faint")


def good_news(words: str) -> Html:
    """Return a sentence which says that nothing is wrong."""
    return sentence(span("ok", PASSED.glyph), " ", words)


def cut(text: str, most: int = LONGEST) -> str:
    """Return a text cut to a length, with how long it was."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def cut_path(path: str, most: int = LONGEST) -> str:
    """Return a path cut in the middle, since its end says more."""
    half = most // 2
    return path if len(path) <= most else f"{path[:half]}…{path[-half:]}"


def short(count: int) -> str:
    """Return a number for an axis: 940, 2.4k, 214k, 3.1M."""
    for unit, sign in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if count >= unit:
            digits = 0 if count >= 100 * unit or not count % unit else 1
            return f"{count / unit:.{digits}f}{sign}"
    return str(count)


def size_in_words(size: int) -> str:
    """Return a size of files: exactly, and from a thousand bytes on rounded too."""
    exact = plural(size, "byte")
    for unit, sign in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:,.1f} {sign} ({exact})"
    return exact
