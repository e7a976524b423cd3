"""What can be done on the loom."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, footer
from ctxtui.commands.common import SCREEN

LOOM: tuple[Command, ...] = (
    Command("left", "message(-1)", "Message before", "Move the cursor along the log", "look").hint(
        "message", rank=3, keys="← →"
    ),
    Command("right", "message(1)", "Message after", "Move the cursor along the log", "look"),
    Command(
        "n", "next_end", "Next ★ hidden", "Go to the next labelled message hidden", "look"
    ).hint("next hidden", when="ends", rank=2),
    Command("enter", "open", "Open", "Show this batch and message in the inspector", "look").hint(
        "open", rank=1
    ),
    Command("y", "copy", "Copy", "Copy the loom as text", "look").hint(),
    Command("escape,q", "leave", "Back", "Go back to the inspector", "rest").hint(rank=ALWAYS),
    *SCREEN,
)
"""Looking at the whole history as a poster."""

FOOTERS: dict[str, Footer] = {
    "LoomScreen": footer(LOOM, "message(-1) next_end", "open", "copy", "leave help"),
}
