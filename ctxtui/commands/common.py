"""Commands of lists, panes of text and lists of options."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command

DOWN = Command("j,down", "move(1)", "Down", "Go down", "list")
OPEN = Command("enter", "open", "Open", "Open what the cursor is on", "list")
EXPAND = Command("right", "fold(True)", "Expand", "Show more of the message in its list", "list")
LISTS: tuple[Command, ...] = (
    DOWN,
    Command("k,up", "move(-1)", "Up", "Go up", "list"),
    Command("pagedown", "page(1)", "Page down", "Go down by a page", "list"),
    Command("pageup", "page(-1)", "Page up", "Go up by a page", "list"),
    Command("ctrl+d", "half(1)", "Half a page down", "Go down by half a page", "list"),
    Command("ctrl+u", "half(-1)", "Half a page up", "Go up by half a page", "list"),
    Command("g,home", "edge(0)", "First", "Go to the first line", "list"),
    Command("G,end", "edge(1)", "Last", "Go to the last line", "list"),
    OPEN,
    EXPAND,
    Command("left", "fold(False)", "Close", "Show one line of the message again", "list"),
)
"""Moving through the lines of a list."""

SCROLL = Command("j,down", "scroll_down", "Down", "Scroll down", "list")
BOTTOM = Command("G,end", "scroll_end", "Bottom", "Scroll to the bottom", "list")
PAGE = Command("ctrl+d,pagedown", "page_down", "Page down", "Scroll down by a page", "list")
TEXT: tuple[Command, ...] = (
    SCROLL,
    Command("k,up", "scroll_up", "Up", "Scroll up", "list"),
    Command("g,home", "scroll_home", "Top", "Scroll to the top", "list"),
    BOTTOM,
    PAGE,
    Command("ctrl+u,pageup", "page_up", "Page up", "Scroll up by a page", "list"),
)
"""Scrolling through a pane of text."""


HELP = Command("question_mark", "help", "Help", "Show all keys", "rest").hint(rank=ALWAYS)
ASCII = Command("", "app.ascii", "ASCII", "Draw with plain ASCII symbols, or with all", "rest")
PALETTE = Command("C", "app.command_palette", "Palette", "Find any command by typing", "rest")
NOTICES = Command("f4", "app.notices", "Past notices", "Show what was said before", "rest")
QUIT = Command("q", "app.quit", "Quit", "Leave the app", "rest")
SCREEN: tuple[Command, ...] = (
    Command("P", "picture", "Picture", "Save a picture of the screen", "rest"),
    HELP,
    NOTICES,
    ASCII,
    PALETTE,
)
"""What can be done on any screen."""

SEEN = Command(
    "Y", "seen", "Sent or seen", "Show what was sent, or what the model saw", "look"
).hint(when="seen", rank=2)
"""The same key on every screen that shows calls."""

TURN = Command("right,l,space", "turn(1)", "Next", "Take the next choice", "change")
TURNS: tuple[Command, ...] = (
    TURN,
    Command("left,h", "turn(-1)", "Before", "Take the choice before", "change"),
)
"""Choosing in a list of options."""
