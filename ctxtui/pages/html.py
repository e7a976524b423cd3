"""A lesson as one HTML file that can be stepped through in a browser, without a server.

Everything is inside: style, program and data; nothing is loaded. Texts are data and are only ever
shown as text, so that nothing in a lesson can act on the page.
"""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files

from ctxtui.core.lessons import LANGUAGES, Lesson
from ctxtui.pages.telling import page_data

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'"
)
"""What a browser lets the page do: nothing but itself."""

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
<noscript><p>{without}</p></noscript>
<main id="lesson" tabindex="-1"></main>
<script type="application/json" id="data">{data}</script>
<script>
{program}</script>
</body>
</html>
"""
WITHOUT = "This page needs JavaScript; ctxtui learn --to markdown writes one that does not."


def lesson_html(lesson: Lesson, language: str = LANGUAGES[0]) -> str:
    """Return a page with the whole lesson in all languages, which begins in one of them."""
    data = {**page_data(lesson), "language": language}
    return _PAGE.format(
        language=language,
        policy=escape(POLICY),
        title=escape(data["title"][language]),
        style=_part("page.css"),
        without=escape(WITHOUT),
        data=_embedded(data),
        program=_part("page.js"),
    )


def _part(name: str) -> str:
    """Return a part of the page that stands in a file of its own."""
    return (files(__package__) / name).read_text(encoding="utf-8")


def _embedded(data: object) -> str:
    """Return JSON that can't end the element it stands in, nor begin another."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
