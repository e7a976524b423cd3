"""The one registry of what a user can do: keys, footer, palette, help and docs come from it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from textual.binding import Binding

SIGNS = {
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "slash": "/",
    "colon": ":",
    "question_mark": "?",
    "ampersand": "&",
    "down": "↓",
    "up": "↑",
    "right": "→",
    "left": "←",
    "comma": ",",
    "equals_sign": "=",
    "plus": "+",
    "minus": "-",
    "exclamation_mark": "!",
}
"""Keys whose names are not what is printed on them."""

Group = Literal["change", "time", "look", "panes", "list", "keep", "rest"]
GROUPS: dict[Group, str] = {
    "change": "Changing",
    "time": "Time",
    "look": "Looking",
    "panes": "Panes and views",
    "list": "In a list",
    "keep": "Keeping",
    "rest": "The rest",
}
"""What commands are for, in the order in which help tells of them."""


class Command(NamedTuple):
    """Something a user can do: its keys, its words, and the action it runs."""

    keys: str
    action: str
    title: str
    about: str
    group: Group
    footer: bool = False
    first: bool = False
    """Whether the key is for this command even where a field would use it."""

    def shown_keys(self) -> str:
        """Return the keys as they stand on a keyboard."""
        return " ".join(SIGNS.get(key, key) for key in self.keys.split(","))

    def binding(self) -> Binding:
        """Return the command as a key binding."""
        return Binding(
            self.keys,
            self.action,
            self.title,
            show=self.footer,
            tooltip=self.about,
            id=self.action,
            priority=self.first,
        )


INSPECTOR: tuple[Command, ...] = (
    Command("a", "operate('APPEND')", "Append", "Add messages at the end", "change", True),
    Command("i", "operate('INSERT')", "Insert", "Add messages at a position", "change", True),
    Command(
        "r", "operate('REPLACE')", "Replace", "Put another message in its place", "change", True
    ),
    Command("t", "operate('TRUNCATE')", "Truncate", "Keep or remove a stretch", "change", True),
    Command(
        "s", "operate('COMPRESS')", "Compress", "Put a summary in place of messages", "change", True
    ),
    Command(
        "f",
        "operate('FILTER')",
        "Filter by rule",
        "Keep the messages that pass conditions",
        "change",
    ),
    Command("c", "operate('CLEAR')", "Clear", "Hide everything but system messages", "change"),
    Command("d", "operate('DELETE')", "Delete", "Hide the selected messages", "change"),
    Command("x", "operate('REDACT')", "Redact", "Clear texts and tool results", "change"),
    Command("b", "operate('BATCH_START')", "Start a batch", "Open a batch by hand", "change"),
    Command("F", "operate('REPAIR')", "Repair", "Make tool calls and results fit again", "change"),
    Command("X", "repair('drop')", "Drop", "Repair: hide halves of broken pairs", "change"),
    Command("E", "repair('restore')", "Restore", "Repair: bring missing halves back", "change"),
    Command("H", "repair('stub')", "Stub", "Repair: stand-ins for missing results", "change"),
    Command("o", "operations", "All", "Show all operations", "change", True),
    Command("K", "offer", "Offer", "Preview the cut offered above the threshold", "change"),
    Command("p", "put_back", "Put back", "Put a copy of a hidden message back", "change"),
    Command("m", "mark", "Mark", "Put a label on the message, or take it off", "change"),
    Command(
        "comma", "operate('CONFIGURE')", "Settings", "Counter, limit, policy, profile", "change"
    ),
    Command(
        "R", "roll_back", "Roll back", "Roll back to the batch that is looked at", "time", True
    ),
    Command("u", "undo", "Undo", "Take back the newest change", "time", True),
    Command("U,ctrl+r", "redo", "Redo", "Make the change again that was undone last", "time"),
    Command("T", "switch_off", "Toggle", "Switch the looked-at batch's operation off", "time"),
    Command("equals_sign", "diff", "Diff", "Compare the looked-at batch with now", "look", True),
    Command("w", "what_if", "What-if", "Try recipes side by side", "look", True),
    Command("M", "record", "Record", "Save batches as a recipe", "keep"),
    Command("P", "picture", "Picture", "Save a picture of the screen", "rest"),
    Command("S,ctrl+s", "save", "Save", "Fold everything into the session's file", "keep"),
    Command("O", "library", "Library", "Close the session and show all of them", "keep"),
    Command("e", "export", "Export", "Write the conversation to a file", "keep"),
    Command("question_mark", "help", "Help", "Show all keys", "rest", True),
    Command("A", "app.ascii", "ASCII", "Draw with plain ASCII signs, or with all", "rest"),
    Command("C", "app.command_palette", "Palette", "Find any command by typing", "rest"),
    Command("q", "app.quit", "Quit", "Leave the app", "rest"),
)
"""Changing, keeping and leaving a conversation."""

EXPLORER: tuple[Command, ...] = (
    Command("left_square_bracket,h", "step(-1)", "Step", "Look at the batch before", "time", True),
    Command("right_square_bracket,l", "step(1)", "Later", "Look at the batch after", "time"),
    Command("B", "bisect", "Culprit", "Go to the first batch with an error and such", "time"),
    Command("slash", "search", "Search", "Find text in every message", "look", True),
    Command("n", "next_hit(1)", "Next", "Go to the next message found", "look"),
    Command("N", "next_hit(-1)", "Previous", "Go to the message found before", "look"),
    Command("colon", "go_to", "Go to", "Go to a raw index, or with # to a batch", "look"),
    Command("ampersand", "filter", "Filter", "Show only messages that hold a text", "look"),
    Command("y", "copy", "Copy", "Copy the message to the clipboard", "look"),
    Command("Y", "copy_all", "Copy all", "Copy the visible projection as JSON", "look"),
    Command("L", "view('lint-view')", "Lint", "See what a provider would refuse", "look"),
    Command("z", "zoom", "Maximise", "Give the pane the whole screen, or take it back", "look"),
    Command("V", "markdown", "Markdown", "Lay the message out as Markdown, or as it is", "look"),
    Command("1", "pane('raw')", "Raw", "Go to the raw array", "panes"),
    Command("2", "pane('visible')", "Visible", "Go to the visible projection", "panes"),
    Command("3", "pane('message')", "Message", "Go to the message", "panes"),
    Command("4", "pane('timeline')", "Timeline", "Go to the batch timeline", "panes"),
    Command("tab", "next_pane(1)", "Next pane", "Go to the next pane", "panes"),
    Command("shift+tab", "next_pane(-1)", "Pane before", "Go to the pane before", "panes"),
    Command(
        "5", "next_view", "Views", "Go through roles, mark map, journal, tokens, lint", "panes"
    ),
    Command("escape", "back", "Back", "Return to the present, or to the inspector", "time"),
)
"""Looking around in a conversation."""

PANES: tuple[Command, ...] = (
    Command("space", "select", "Select", "Select the message, or take it out again", "look"),
    Command("v", "select_range", "Select range", "Select from here to where v comes again", "look"),
)
"""Selecting in the lists of messages."""

INSPECTING = (*EXPLORER, *PANES, *INSPECTOR)
"""Everything that can be done on the inspector."""

KEYS_OF_OPERATIONS = {
    command.action.split("'")[1]: command.shown_keys()
    for command in INSPECTOR
    if command.action.startswith("operate")
}
"""The keys that open the form of an operation, by its name."""

KEYS_OF_REPAIRS = {
    command.action.split("'")[1]: command.shown_keys()
    for command in INSPECTOR
    if command.action.startswith("repair")
}
"""The keys that repair at once, by the way they do it."""

LISTS = (
    Command("j,down", "move(1)", "Down", "Go down", "list"),
    Command("k,up", "move(-1)", "Up", "Go up", "list"),
    Command("pagedown", "page(1)", "Page down", "Go down by a page", "list"),
    Command("pageup", "page(-1)", "Page up", "Go up by a page", "list"),
    Command("ctrl+d", "half(1)", "Half a page down", "Go down by half a page", "list"),
    Command("ctrl+u", "half(-1)", "Half a page up", "Go up by half a page", "list"),
    Command("g,home", "edge(0)", "First", "Go to the first line", "list"),
    Command("G,end", "edge(1)", "Last", "Go to the last line", "list"),
    Command("enter", "open", "Open", "Open what the cursor is on", "list"),
    Command("right", "fold(True)", "Expand", "Show more of the message in its list", "list"),
    Command("left", "fold(False)", "Close", "Show one line of the message again", "list"),
)

LIBRARY: tuple[Command, ...] = (
    Command("n", "new", "New", "Start a session without messages", "keep", True),
    Command("I", "ask('import')", "Import", "Make a session of a file", "keep", True),
    Command("D", "duplicate", "Duplicate", "Make a session with the same history", "keep"),
    Command("r", "ask('rename')", "Rename", "Give the session another title", "keep", True),
    Command("t", "ask('tags')", "Tags", "Give the session tags", "keep", True),
    Command("plus", "status('accepted')", "Accept", "Mark the session as accepted", "keep"),
    Command("minus", "status('rejected')", "Reject", "Mark the session as rejected", "keep"),
    Command(
        "exclamation_mark", "status('needs work')", "Needs work", "Mark it as needing work", "keep"
    ),
    Command("d", "delete", "Delete", "Put the session into the trash", "keep", True),
    Command("u", "undo", "Undo", "Take back a verdict, rename, tags or delete", "keep", True),
    Command("ampersand", "ask('filter')", "Filter", "Show only some sessions", "look"),
    Command("escape", "back", "Back", "Show all sessions again, newest first", "look"),
    Command("question_mark", "help", "Help", "Show all keys", "rest", True),
    Command("A", "app.ascii", "ASCII", "Draw with plain ASCII signs, or with all", "rest"),
    Command("C", "app.command_palette", "Palette", "Find any command by typing", "rest"),
    Command("q", "app.quit", "Quit", "Leave the app", "rest", True),
)

FORM: tuple[Command, ...] = (
    Command("ctrl+s", "apply", "Apply", "Do it; enter does too in a line", "change", True, True),
    Command("escape", "leave", "Leave", "Leave; a long text is kept", "rest", True),
    Command("tab", "app.focus_next", "Next field", "Go to the next field", "list", True),
    Command("shift+tab", "app.focus_previous", "Field before", "Go to the field before", "list"),
    Command("ctrl+e", "editor", "Editor", "Edit the text in $EDITOR", "change", True, True),
    Command("f1", "help", "Help", "Show all keys of a form", "rest", True),
)

WHAT_IF: tuple[Command, ...] = (
    Command("enter", "open_branch", "Open as a branch", "Apply the recipe here", "change", True),
    Command("left,h", "choose(-1)", "Before", "Go to the recipe before", "look"),
    Command("right,l", "choose(1)", "Next", "Go to the next recipe", "look", True),
    Command("plus", "add", "Add", "Pick a recipe to compare with the others", "look", True),
    Command("minus", "take_out", "Take out", "Take the recipe out of the comparison", "look", True),
    Command("question_mark", "help", "Help", "Show all keys", "rest", True),
    Command("A", "app.ascii", "ASCII", "Draw with plain ASCII signs, or with all", "rest"),
    Command("C", "app.command_palette", "Palette", "Find any command by typing", "rest"),
    Command("escape,q", "leave", "Back", "Return; nothing was changed", "rest", True),
)

DIFF: tuple[Command, ...] = (
    Command(
        "left_square_bracket", "step('left', -1)", "Earlier", "From the batch before", "time", True
    ),
    Command(
        "right_square_bracket", "step('left', 1)", "Later", "From the batch after", "time", True
    ),
    Command("{", "step('right', -1)", "To earlier", "To the batch before", "time"),
    Command("}", "step('right', 1)", "To later", "To the batch after", "time"),
    Command("x", "swap", "Swap", "Let the two sides change places", "time", True),
    Command("n", "difference(1)", "Next", "Go to the next difference", "look", True),
    Command("N", "difference(-1)", "Previous", "Go to the difference before", "look"),
    Command("y", "copy", "Copy", "Copy a summary as text", "look", True),
    Command("P", "picture", "Picture", "Save a picture of the screen", "rest"),
    Command("escape,q", "leave", "Back", "Go back to the inspector", "rest", True),
    Command("question_mark", "help", "Help", "Show all keys", "rest", True),
    Command("A", "app.ascii", "ASCII", "Draw with plain ASCII signs, or with all", "rest"),
    Command("C", "app.command_palette", "Palette", "Find any command by typing", "rest"),
)
