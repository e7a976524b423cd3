"""What can be done in a form."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, Hinting
from ctxtui.commands.dialogs import PICKS

FORM: tuple[Command, ...] = (
    Command("ctrl+s", "apply", "Apply", "Do it; enter does too in a line", "change", first=True),
    Command("escape", "leave", "Leave", "Leave; a long text is kept", "rest"),
    Command("tab", "app.focus_next", "Next field", "Go to the next field", "list"),
    Command("shift+tab", "app.focus_previous", "Field before", "Go to the field before", "list"),
    Command("up", "by(1)", "One more", "Count a number up, or go to the field before", "list"),
    Command("down", "by(-1)", "One less", "Count a number down, or go to the next field", "list"),
    Command(
        "ctrl+n",
        "next_suggestion",
        "Next cut",
        "Go to the next cut to start from",
        "look",
        first=True,
    ),
    Command("ctrl+f", "take", "Take it", "Take the cut or the number shown", "look", first=True),
    Command("ctrl+y", "keep_system", "Keep system", "Let no system message go", "look", first=True),
    Command("ctrl+k", "keep_marks", "Keep marks", "Let no marked message go", "look", first=True),
    Command("ctrl+e", "editor", "Editor", "Edit the text in $EDITOR", "change", first=True),
    Command("f1", "help", "Help", "Show all keys of a form", "rest"),
)
"""Filling in a form, and doing what it says."""

ANOTHER = Command("ctrl+n", "another", "Another message", "Add another message", "change")

_hint = Hinting(FORM, PICKS, (ANOTHER,))

FOOTERS: dict[str, Footer] = {
    "PreviewScreen": (
        (
            _hint("apply", rank=ALWAYS),
            _hint("app.focus_next", "next field", "next", rank=2),
            _hint("by(1)", "by one", "±1", keys="↑ ↓", when="counts", rank=5),
        ),
        (
            _hint("next_suggestion", "next cut", "next", when="start", rank=3),
            _hint("take", "{take}", "take", when="take", rank=2),
            _hint("keep_system", "keep system", "system", when="system", rank=3),
            _hint("keep_marks", "keep marks", "marks", when="marks", rank=3),
            _hint("move(1)", "choose", keys="← →", when="picks", rank=3),
            _hint("pick", "pick", when="several", rank=3),
            _hint("another", "another message", "another", when="another", rank=4),
            _hint("editor", "in $EDITOR", "editor", when="text", rank=4),
        ),
        (_hint("leave", rank=1), _hint("help", rank=ALWAYS)),
    ),
}
"""What is shown in every form; widgets around a field tell by facts what can be done in it."""
