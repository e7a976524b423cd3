"""What can be done in a form."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, footer
from ctxtui.commands.common import CHOICES

FIELDS: tuple[Command, ...] = (
    Command(
        "ctrl+s", "apply", "Apply", "Do it; enter does too in a line", "change", first=True
    ).hint(rank=ALWAYS),
    Command("escape", "leave", "Back", "Leave; a long text is kept", "rest").hint(rank=ALWAYS),
    Command("tab", "app.focus_next", "Next field", "Go to the next field", "list").hint(
        "next", rank=2
    ),
    Command("shift+tab", "app.focus_previous", "Field before", "Go to the field before", "list"),
    Command("ctrl+e", "editor", "Editor", "Edit the text in $EDITOR", "change", first=True).hint(
        when="text", rank=4
    ),
    Command("f1", "help", "Help", "Show all keys of a form", "rest").hint(rank=1),
)
"""Filling in fields, and doing what they say."""

ADVICE: tuple[Command, ...] = (
    Command("up", "by(1)", "One more", "Count a number up, or go to the field before", "list").hint(
        "by one", when="counts", keys="↑ ↓"
    ),
    Command("down", "by(-1)", "One less", "Count a number down, or go to the next field", "list"),
    Command(
        "ctrl+n",
        "next_suggestion",
        "Next cut",
        "Go to the next cut to start from",
        "look",
        first=True,
    ).hint(when="start", rank=3),
    Command(
        "ctrl+f", "take", "Take it", "Take the cut or the number shown", "look", first=True
    ).hint("{take}", when="take", rank=2),
    Command(
        "ctrl+y", "keep_system", "Keep system", "Let no system message go", "look", first=True
    ).hint(when="system", rank=3),
    Command(
        "ctrl+k", "keep_marks", "Keep marks", "Let no marked message go", "look", first=True
    ).hint(when="marks", rank=3),
)
"""What only the form of an operation offers."""

FORM = (*FIELDS, *ADVICE)

ANOTHER = Command("ctrl+n", "another", "Another message", "Add another message", "change").hint(
    when="another", rank=4
)


FOOTERS: dict[str, Footer] = {
    "PreviewScreen": footer(
        (*FORM, *CHOICES, ANOTHER),
        "apply app.focus_next by(1)",
        "next_suggestion take keep_system keep_marks move(1) choose another editor",
        "leave help",
    ),
}
"""What is shown in every form; widgets around a field set conditions for what can be done in it."""
