"""All parts of a call below each other, for terminals that have no room for panes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ctxtui.models.call_sheet import CallSheet
from ctxtui.render.call.cache import cache_about, cache_lines
from ctxtui.render.call.lint import lint_about, lint_lines
from ctxtui.render.call.request import request_about, request_lines, usage_lines
from ctxtui.render.call.tools import tool_lines, tools_about
from ctxtui.render.call.why import why_about, why_lines
from ctxtui.render.text.lines import Line, Piece, line_width
from ctxtui.render.text.sections import cropped, head, stacked_up


class Section(NamedTuple):
    """A part of the screen: the name of its pane, its title, what it is about, and its lines."""

    name: str
    title: str
    about: Callable[[CallSheet], Line]
    lines: Callable[[CallSheet, int], list[Line]]


SECTIONS = (
    Section("cache", "Prompt cache", lambda one: _muted(cache_about(one)), cache_lines),
    Section(
        "request",
        "Request",
        lambda one: _muted(request_about(one)),
        lambda one, width: request_lines(one.request, width),
    ),
    Section("usage", "Usage", lambda _: _muted("measured against estimated"), usage_lines),
    Section(
        "tools",
        "Tools",
        lambda one: [Piece(tools_about(one.tools), "bright")],
        lambda one, width: tool_lines(one.tools, width),
    ),
    Section("why", "The operation that explains it", lambda one: _muted(why_about(one)), why_lines),
    Section("lint", "Lint of what was sent", lint_about, lint_lines),
)
"""The parts of a call, in the order one asks."""


def call_lines(sheet: CallSheet, width: int) -> list[Line]:
    """Return all parts of a call below each other, each with its title."""
    made = []
    for section in SECTIONS:
        about = section.about(sheet)
        about = about if line_width(about) < width // 2 else []
        body = cropped(section.lines(sheet, width), width)
        made.append([head(section.title, about, width), *body])
    return stacked_up(*made)


def _muted(text: str) -> Line:
    return [Piece(text, "muted")] if text else []
