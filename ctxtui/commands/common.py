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
PICTURE = Command("P", "picture", "Picture", "Save a picture of the screen", "rest")
SCREEN: tuple[Command, ...] = (
    PICTURE,
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

COST = Command(
    "J", "bill", "Bill", "Show what the run costs, as it is and with the best policy", "look"
).hint(when="calls", rank=6)
"""The bill of a run: the same key on all screens that show one."""

CHOICES: tuple[Command, ...] = (
    Command("left,h", "move(-1)", "Before", "Go to the choice before", "list"),
    Command("right,l", "move(1)", "Next", "Go to the next choice", "list")
    .hint("choice", keys="← →", when="bar", rank=2)
    .hint("choose", keys="← →", when="field", rank=3),
    Command("space", "choose", "Choose", "Choose it, or clear it among several", "list").hint(
        "pick", when="several", rank=3
    ),
    Command("enter", "choose_now", "Choose", "Choose it; in a form, enter applies", "list").hint(
        when="bar", rank=1
    ),
)
"""Choosing in a bar of choices."""
OPTIONS: tuple[Command, ...] = (
    Command("down,j", "by(-1)", "Next field", "Go to the next field", "list").hint(
        "field", keys="↑ ↓", rank=3
    ),
    Command("up,k", "by(1)", "Field before", "Go to the field before", "list"),
)
"""What every form of options offers, whose screen says what a change does."""
