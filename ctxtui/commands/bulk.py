"""What can be done before many sessions are changed or written: look, leave out, then do it."""

from __future__ import annotations

from ctxtui.commands.command import Command
from ctxtui.commands.hints import ALWAYS, Footer, Hint, Hinting
from ctxtui.commands.lists import LISTS
from ctxtui.commands.options import TURNS

BULK: tuple[Command, ...] = (
    Command("ctrl+s,S", "apply", "Do it", "Do what was looked at", "change"),
    Command("tab", "app.focus_next", "Next part", "Go to the next part", "panes"),
    Command("shift+tab", "app.focus_previous", "Part before", "Go to the part before", "panes"),
    Command("escape,q", "leave", "Leave", "Leave; nothing is changed", "rest"),
    Command("question_mark,f1", "help", "Help", "Show all keys", "rest"),
    *TURNS,
)
"""Choosing what is done to many sessions; nothing is done before it is asked for."""
LEAVING_OUT: tuple[Command, ...] = (
    Command("space", "leave_out", "Leave out", "Leave it out, or take it in again", "change"),
)

_hint = Hinting(BULK, LEAVING_OUT, LISTS)


def _ends(word: str) -> tuple[Hint, ...]:
    return (
        _hint("app.focus_next", "next part", "next", rank=3),
        _hint("leave", word, "leave", rank=1),
        _hint("help", rank=ALWAYS),
    )


_DO = _hint("apply", "{do}", "do it", when="do", rank=ALWAYS, keys="ctrl+s")
FOOTERS: dict[str, Footer] = {
    "#options": (
        (_DO,),
        (
            _hint("move(1)", "option", "move", keys="j k", rank=4),
            _hint("open", "on or off", "turn", when="flag", rank=1),
            _hint("open", "type it", "type", when="typed", rank=1),
            _hint("open", "next choice", "next", when="turn", rank=1),
        ),
        _ends("leave"),
    ),
    "#hits": (
        (_DO,),
        (
            _hint("move(1)", "hit", "move", keys="j k", rank=3),
            _hint("leave_out", "leave it out, or in", "in or out", when="hit", rank=1),
        ),
        _ends("leave"),
    ),
    "#touched": (
        (_DO,),
        (
            _hint("move(1)", "session", "move", keys="j k", rank=3),
            _hint("open", "its hits", "hits", when="hit", rank=2),
            _hint("leave_out", "leave it out, or in", "in or out", when="hit", rank=1),
        ),
        _ends("leave"),
    ),
    "BulkScreen": ((_DO,), _ends("leave")),
}
