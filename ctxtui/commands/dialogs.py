"""Commands of small places: prompts, bars of choices, lists over a screen, and notices."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, footer
from ctxtui.commands.common import BOTTOM, CHOICES, DOWN, OPEN, PAGE, SCROLL, TEXT
from ctxtui.inspector.keys import INSPECTING

LEAVE_PROMPT = Command("escape", "leave_prompt", "Back", "Leave without an answer", "rest").hint(
    rank=ALWAYS
)
EARLIER = Command("up", "recall(1)", "Earlier", "Recall the answer before", "change").hint(
    "earlier", when="earlier_answers", rank=3
)
LATER = Command("down", "recall(-1)", "Later", "Recall the answer after", "change")
PROMPT: tuple[Command, ...] = (
    Command("enter", "submit", "Answer", "Take what was typed", "change").hint(
        "{answer}", rank=ALWAYS
    ),
    EARLIER,
    LATER,
    LEAVE_PROMPT,
)
"""Answering a prompt; enter is a key of the field itself."""
PICKER: tuple[Command, ...] = (
    Command("escape,o,q", "leave", "Back", "Close the list", "rest").hint(rank=ALWAYS),
)
HELP: tuple[Command, ...] = (
    Command("slash", "search", "Search", "Show only lines with some words", "look").hint(
        "search", when="searchable", rank=1
    ),
    Command("escape,question_mark,q,enter,f1", "leave", "Back", "Close the help", "rest")
    .hint(rank=ALWAYS)
    .hint("show all", when="sought", rank=ALWAYS),
)
PALETTE: tuple[Command, ...] = (
    Command("enter", "submit", "Run", "Run the command", "change").hint("run", rank=ALWAYS),
    Command("down", "cursor_down", "Next", "Go to the next command", "list").hint(
        "command", keys="↓ ↑", rank=2
    ),
    Command("escape", "escape", "Back", "Close the palette", "rest").hint(rank=ALWAYS),
)
"""Choosing in the palette; its keys are Textual's own."""
LOADING: tuple[Command, ...] = (
    Command("escape,q", "app.give_up", "Give up", "Stop reading", "rest").hint(rank=ALWAYS),
)
PROBLEM: tuple[Command, ...] = (
    Command("escape,q,enter", "leave", "Leave", "Leave", "rest").hint(rank=ALWAYS, keys="enter"),
)


BAR = footer((*INSPECTING, *CHOICES), "move(1) choose_now", "back next_pane(1) help")
FOOTERS: dict[str, Footer] = {
    "#ask": footer(PROMPT, "submit recall(1)", "leave_prompt"),
    "#profiles": BAR,
    "#role-choices": BAR,
    "Picker": footer(
        PICKER,
        (
            DOWN.hint("{noun}", keys="j k", rank=3),
            OPEN.hint("{verb}", rank=1),
        ),
        "leave",
    ),
    "HelpScreen": footer(
        (*HELP, *TEXT),
        (
            SCROLL.hint("scroll", keys="j k", rank=2),
            PAGE.hint("half a page", keys="ctrl+d ctrl+u", rank=4),
            BOTTOM.hint("last line", keys="G", rank=5),
        ),
        "search leave",
    ),
    "CommandInput": footer(PALETTE, "submit cursor_down", "escape"),
    "LoadingScreen": footer(LOADING, "app.give_up"),
    "ProblemScreen": footer(PROBLEM, "leave"),
}
"""The footers of small places."""
