"""What can be done with lessons: in the list of them, and while one is played."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, footer
from ctxtui.commands.common import DOWN, OPEN, QUIT, SCREEN

_REST = (
    Command("t", "language", "Language", "Switch between English and Chinese", "look").hint(
        "{other}", rank=4
    ),
    *SCREEN,
    QUIT.hint(rank=1),
)

LESSONS: tuple[Command, ...] = (
    Command("O,escape", "library", "Library", "Show all sessions of the library", "look").hint(
        keys="esc", rank=ALWAYS
    ),
    *_REST,
)
"""Choosing a lesson; enter opens one."""

DIGITS = {
    **{
        digit: Command(str(digit), f"digit({digit})", f"Answer {digit}", about, "change")
        for digit in range(1, 5)
        for about in [f"Choose answer {digit}, or type the digit"]
    },
    **{
        digit: Command(
            str(digit), f"digit({digit})", f"Digit {digit}", "Type a digit of a number", "change"
        )
        for digit in (5, 6, 7, 8, 9, 0)
    },
}
LESSON: tuple[Command, ...] = (
    Command("enter", "next", "Next", "Reveal the answer, or take the next step", "time", first=True)
    .hint("reveal", when="covered", rank=1)
    .hint("next step", when="on", rank=1),
    Command(
        "s", "show_answer", "Show answer", "Show it without answering: it stays open", "time"
    ).hint(when="asked", rank=2),
    Command(
        "greater_than_sign",
        "next_lesson",
        "Next lesson",
        "Open the next lesson, at the end of this",
        "time",
    ).hint(when="last another", rank=1),
    Command("backspace", "back", "Step back", "Delete a digit, else go back", "time")
    .hint("rub out", when="typed", rank=3)
    .hint("step back", when="begun", rank=3),
    Command("r", "restart", "Restart", "Start the lesson again", "time").hint(when="begun", rank=6),
    Command("space", "pick", "Pick", "Pick the row under the cursor, or clear it", "change").hint(
        when="rows", rank=2
    ),
    Command("n", "none", "None", "Answer that none of the rows is right", "change").hint(
        "none of them", when="rows asked", rank=3
    ),
    *DIGITS.values(),
    Command("h", "hint", "Hint", "Show the hint", "look").hint(when="hint", rank=3),
    Command("o", "practice", "Try it yourself", "Open this state as a practice copy", "look").hint(
        rank=4
    ),
    Command("tab", "pane(1)", "Next pane", "Go to the next pane", "panes").hint("next", rank=3),
    Command("shift+tab", "pane(-1)", "Pane before", "Go to the pane before", "panes"),
    Command(
        "escape,O", "leave", "Back", "Leave the lesson; it continues here next time", "rest"
    ).hint(rank=ALWAYS),
    *_REST,
)
"""Playing a lesson."""


FOOTERS: dict[str, Footer] = {
    "LessonsScreen": footer(
        LESSONS,
        (
            DOWN.hint("lesson", when="several", rank=3, keys="j k"),
            OPEN.hint("open", when="lesson", rank=1),
        ),
        "language library",
        "help app.quit",
    ),
    "LessonScreen": footer(
        LESSON,
        (
            "pick",
            DIGITS[1]
            .hint("answer", when="four", rank=2, keys="1–4")
            .hint("answer", when="three", rank=2, keys="1–3")
            .hint("answer", when="two", rank=2, keys="1–2"),
            DIGITS[0].hint("type a number", when="number", rank=2, keys="0–9"),
            "none next show_answer next_lesson",
        ),
        "back hint restart",
        "practice pane(1) language leave help",
    ),
}
