"""What is known of one session of the library, and what a library without sessions says."""

from __future__ import annotations

from core import Conversation
from core.storage import Entry
from core.views.view import View
from ctxtui.models.figures import figures_of
from ctxtui.render.text.bars import bar
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.numbers import ago
from ctxtui.render.text.ribbon import Ribbon, RibbonAxis
from ctxtui.render.text.severity import ERROR
from ctxtui.render.text.times import to_the_minute
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible

NAME = 10


def entry_lines(entry: Entry, now: int, width: int) -> list[Line]:
    """Return what the list of sessions knows of one, in words."""
    lines = [[Piece(row, "bright")] for row in wrap(visible(entry.title, 300), max(10, width))]
    if entry.problem is not None:
        lines += problem_lines(entry.problem, width)
    else:
        share = bar(entry.visible, entry.messages, max(4, width - 30))
        lines += [
            [],
            _named("messages", f"{entry.messages:,}"),
            [*_named("visible", f"{entry.visible:,}  "), Piece(share, "bar")],
            _named("batches", f"{entry.batches:,}"),
            _named("tokens", f"{entry.tokens:,}  {entry.counter}"),
        ]
    lines += [[], _named("status", entry.status)]
    if entry.tags:
        lines.append(_named("tags", ", ".join(entry.tags)))
    lines.append(_named("changed", f"{to_the_minute(entry.updated)}, {ago(entry.updated, now)}"))
    lines.append(_named("made", to_the_minute(entry.created)))
    if entry.source:
        lines += [[], [Piece("from", "muted")]]
        lines += [[Piece(row)] for row in wrap(visible(entry.source, 500), max(10, width))]
    if entry.note:
        lines += [[], [Piece("note", "muted")]]
        lines += [[Piece(row)] for row in wrap(visible(entry.note, 2_000), max(10, width))]
    return [*lines, [], _named("id", entry.id)]


def problem_lines(sentence: str, width: int) -> list[Line]:
    """Return why something can't be read."""
    told = visible(ERROR.text(sentence), 1_000)
    return [[Piece(row, ERROR.kind)] for row in wrap(told, max(10, width))]


def _named(name: str, text: str) -> Line:
    return [Piece(f"{name:<{NAME}}", "muted"), Piece(visible(text, 300))]


def welcome_lines(conversation: Conversation | None, width: int) -> list[Line]:
    """Return what this tool is, in two ribbons and two lines."""
    if conversation is None:
        return [[Piece("The library is empty. n makes a session, I imports a file.", "text")]]
    log, weights = conversation.log, figures_of(conversation, conversation.moment)
    axis = RibbonAxis(len(log), width - 2)
    said = Ribbon(log, weights, View.of_runs([(0, len(log))])).line(axis)
    sent = Ribbon(log, weights, conversation.view).line(axis)
    return [
        [Piece("everything ever said", "muted")],
        said,
        [],
        [Piece("what the model is sent", "bright")],
        sent,
        [Piece("low is hidden by an operation, never lost", "faint")],
        [],
        [
            Piece("Press ", "text"),
            Piece(" enter ", "chip"),
            Piece(" to open a sample, ", "text"),
            Piece("I", "key"),
            Piece(" to import a file, ", "text"),
            Piece("n", "key"),
            Piece(" for an empty session.", "text"),
        ],
    ]


def settings_head(width: int) -> Line:
    """Return the head line of the settings."""
    about = "every change counts at once and is kept "
    return [
        Piece(" ctxtui  ", "bright"),
        Piece(" Settings ", "chip"),
        Piece(about.rjust(max(0, width - 20)), "muted"),
    ]


def library_head(folder: str, width: int) -> Line:
    """Return the head line of the library: where its sessions are."""
    return [
        Piece(" ctxtui  ", "bright"),
        Piece(" Library ", "chip"),
        Piece(f"  {visible(folder)}".rjust(max(0, width - 20)), "muted"),
    ]
