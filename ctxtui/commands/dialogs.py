"""What can be done in small places: prompts, bars of choices, lists over a screen, and notices."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, Hinting
from ctxtui.commands.common import LISTS, TEXT
from ctxtui.inspector.keys import INSPECTING

LEAVE_PROMPT = Command("escape", "leave_prompt", "Leave", "Leave without an answer", "rest")
PROMPT: tuple[Command, ...] = (
    Command("enter", "submit", "Answer", "Take what was typed", "change"),
    LEAVE_PROMPT,
)
"""Answering a prompt; enter is a key of the field itself."""
CHOICES: tuple[Command, ...] = (
    Command("left,h", "move(-1)", "Before", "Go to the choice before", "list"),
    Command("right,l", "move(1)", "Next", "Go to the next choice", "list"),
    Command("enter,space", "choose", "Choose", "Choose it", "list"),
)
"""Choosing in a bar above a view."""
PICKS: tuple[Command, ...] = (
    Command("left", "move(-1)", "Before", "Go to the value before", "list"),
    Command("right", "move(1)", "Next", "Go to the next value", "list"),
    Command("space", "pick", "Pick", "Pick the value, or let it go", "list"),
)
"""Picking values in a form."""
PICKER: tuple[Command, ...] = (Command("escape,o,q", "leave", "Close", "Close the list", "rest"),)
HELP: tuple[Command, ...] = (
    Command("escape,question_mark,q,enter,f1", "dismiss", "Close", "Close the help", "rest"),
)
PALETTE: tuple[Command, ...] = (
    Command("enter", "submit", "Run", "Run the command", "change"),
    Command("down", "cursor_down", "Next", "Go to the next command", "list"),
    Command("escape", "escape", "Close", "Close the palette", "rest"),
)
"""Choosing in the palette; its keys are Textual's own."""
LOADING: tuple[Command, ...] = (
    Command("escape,q", "app.give_up", "Give up", "Stop reading", "rest"),
)
PROBLEM: tuple[Command, ...] = (Command("escape,q,enter", "leave", "Leave", "Leave", "rest"),)

_in_prompt = Hinting(PROMPT)
_in_choices = Hinting(INSPECTING, CHOICES)
_in_picker = Hinting(PICKER, LISTS)
_in_help = Hinting(HELP, TEXT)
_in_palette = Hinting(PALETTE)
_loading = Hinting(LOADING)
_in_problem = Hinting(PROBLEM)

FOOTERS: dict[str, Footer] = {
    "#ask": (
        (
            _in_prompt("submit", "{answer}", rank=ALWAYS),
            _in_prompt("leave_prompt", "leave", rank=ALWAYS),
        ),
    ),
    "ChoiceBar": (
        (
            _in_choices("move(1)", "choice", keys="← →", rank=2),
            _in_choices("choose", rank=1),
        ),
        (
            _in_choices("back", "{out}", "{out_short}", when="out", rank=1),
            _in_choices("next_pane(1)", "next part", "next", rank=3),
            _in_choices("help", rank=ALWAYS),
        ),
    ),
    "Picker": (
        (
            _in_picker("move(1)", "{noun}", "move", keys="j k", rank=3),
            _in_picker("open", "{verb}", rank=1),
        ),
        (_in_picker("leave", rank=ALWAYS),),
    ),
    "HelpScreen": (
        (
            _in_help("scroll_down", "scroll", keys="j k", rank=2),
            _in_help("page_down", "half a page", "page", keys="ctrl+d ctrl+u", rank=4),
            _in_help("scroll_end", "last line", "end", keys="G", rank=5),
        ),
        (_in_help("dismiss", rank=ALWAYS),),
    ),
    "CommandInput": (
        (
            _in_palette("submit", "run it", "run", rank=ALWAYS),
            _in_palette("cursor_down", "command", keys="↓ ↑", rank=2),
        ),
        (_in_palette("escape", "close", rank=ALWAYS),),
    ),
    "LoadingScreen": ((_loading("app.give_up", rank=ALWAYS),),),
    "ProblemScreen": ((_in_problem("leave", rank=ALWAYS, keys="enter"),),),
}
"""What is shown in small places."""
