"""What can be done on the loom."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, footer

LOOM: tuple[Command, ...] = (
    Command("left", "message(-1)", "Message before", "Move the cursor along the log", "look").hint(
        "message", rank=3, keys="← →"
    ),
    Command("right", "message(1)", "Message after", "Move the cursor along the log", "look"),
    Command(
        "n", "next_end", "Next ★ hidden", "Go to the next labelled message hidden", "look"
    ).hint("next ★ hidden", "★ hidden", when="ends", rank=2),
    Command("enter", "open", "Open", "Show this batch and message in the inspector", "look").hint(
        "open there", "open", rank=1
    ),
    Command("y", "copy", "Copy", "Copy the loom as text", "look").hint("copy as text", "copy"),
    Command("P", "picture", "Picture", "Save a picture of the screen", "rest").hint(rank=4),
    Command("escape,q", "leave", "Back", "Go back to the inspector", "rest").hint(rank=1),
    Command("question_mark", "help", "Help", "Show all keys", "rest").hint(rank=ALWAYS),
    Command("C", "app.command_palette", "Palette", "Find any command by typing", "rest"),
)
"""Looking at the whole history as a poster."""

FOOTERS: dict[str, Footer] = {
    "LoomScreen": footer(LOOM, "message(-1) next_end", "open", "copy picture", "leave help"),
}
