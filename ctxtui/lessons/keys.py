"""What can be done with lessons: in the list of them, and while one is played."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, Hinting
from ctxtui.commands.common import LISTS

_REST = (
    Command("L", "language", "Language", "Switch between English and Chinese", "look"),
    Command("P", "picture", "Picture", "Save a picture of the screen", "rest"),
    Command("question_mark", "help", "Help", "Show all keys", "rest"),
    Command("A", "app.ascii", "ASCII", "Draw with plain ASCII signs, or with all", "rest"),
    Command("C", "app.command_palette", "Palette", "Find any command by typing", "rest"),
    Command("q", "app.quit", "Quit", "Leave the app", "rest"),
)

LESSONS: tuple[Command, ...] = (
    Command("O,escape", "library", "Library", "Show all sessions of the library", "look"),
    *_REST,
)
"""Choosing a lesson; enter opens one."""

LESSON: tuple[Command, ...] = (
    Command(
        "enter", "next", "Next", "Reveal the answer, or take the next step", "time", first=True
    ),
    Command("s", "show_answer", "Show answer", "Show it without answering: it stays open", "time"),
    Command("N", "next_lesson", "Next lesson", "Open the next lesson, at the end of this", "time"),
    Command(
        "backspace", "back", "Step back", "Rub out a digit, else go back to what was shown", "time"
    ),
    Command("r", "restart", "Restart", "Begin the lesson anew", "time"),
    Command("space", "pick", "Pick", "Pick the row under the cursor, or put it back", "change"),
    Command("n", "none", "None", "Answer that none of the rows is right", "change"),
    *(
        Command(str(digit), f"digit({digit})", f"Answer {digit}", about, "change")
        for digit in range(1, 5)
        for about in [f"Choose answer {digit}, or type the digit"]
    ),
    *(
        Command(
            str(digit), f"digit({digit})", f"Digit {digit}", "Type a digit of a number", "change"
        )
        for digit in (5, 6, 7, 8, 9, 0)
    ),
    Command("h", "hint", "Hint", "Show the hint", "look"),
    Command("o", "practice", "Try it yourself", "Open this state as a practice copy", "look"),
    Command("tab", "pane(1)", "Next pane", "Go to the next pane", "panes"),
    Command("shift+tab", "pane(-1)", "Pane before", "Go to the pane before", "panes"),
    Command("escape,O", "leave", "Leave", "Leave the lesson, which goes on here next time", "rest"),
    *_REST,
)
"""Playing a lesson."""

_list_hint = Hinting(LESSONS, LISTS)
_hint = Hinting(LESSON, LISTS)

FOOTERS: dict[str, Footer] = {
    "LessonsScreen": (
        (
            _list_hint("move(1)", "lesson", "move", keys="j k", when="several", rank=3),
            _list_hint("open", "open it", "open", when="lesson", rank=1),
        ),
        (
            _list_hint("language", "{other}", rank=2),
            _list_hint("library", "library", rank=2),
        ),
        (_list_hint("help", rank=ALWAYS), _list_hint("app.quit", rank=3)),
    ),
    "LessonScreen": (
        (
            _hint("pick", "pick", when="rows", rank=2),
            _hint("digit(1)", "answer", keys="1–4", when="four", rank=2),
            _hint("digit(1)", "answer", keys="1–3", when="three", rank=2),
            _hint("digit(1)", "answer", keys="1–2", when="two", rank=2),
            _hint("digit(0)", "type a number", "number", keys="0–9", when="number", rank=2),
            _hint("none", "none of them", "none", when="rows asked", rank=3),
            _hint("next", "reveal", when="covered", rank=1),
            _hint("next", "next step", "next", when="on", rank=1),
            _hint("show_answer", "show answer", "show", when="asked", rank=2),
            _hint("next_lesson", "next lesson", "next", when="last another", rank=1),
        ),
        (
            _hint("back", "rub out", when="typed", rank=3),
            _hint("back", "step back", "back", when="begun", rank=3),
            _hint("hint", when="hint", rank=3),
            _hint("restart", when="begun", rank=6),
        ),
        (
            _hint("practice", "try it yourself", "try it", rank=4),
            _hint("pane(1)", "pane", rank=3),
            _hint("language", "{other}", rank=5),
            _hint("leave", rank=2),
            _hint("help", rank=ALWAYS),
        ),
    ),
}
