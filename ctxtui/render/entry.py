"""What a library says that has no sessions, or can't be read."""

from __future__ import annotations

from ctxtui.core import Conversation
from ctxtui.core.engine.views import View
from ctxtui.models.figures import figures_of
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.ribbon import Ribbon, RibbonAxis
from ctxtui.render.text.severity import ERROR
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible

IMPORT: Line = [Piece("I", "key"), Piece(" to import a file, ", "text")]


def problem_lines(sentence: str, width: int) -> list[Line]:
    """Return why something can't be read."""
    told = visible(ERROR.text(sentence), 1_000)
    return [[Piece(row, ERROR.kind)] for row in wrap(told, max(10, width))]


def welcome_lines(conversation: Conversation | None, may_write: bool, width: int) -> list[Line]:
    """Return what this tool is, in two ribbons and two lines, and how to begin."""
    if conversation is None:
        ways = "n makes a session, I imports a file." if may_write else "n makes a session."
        return [[Piece(f"The library is empty. {ways}", "text")]]
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
        [Piece("low is hidden by an operation, still in the log", "faint")],
        [],
        [
            Piece("Press ", "text"),
            Piece(" enter ", "chip"),
            Piece(" to open a sample, ", "text"),
            *(IMPORT if may_write else []),
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
