"""What can be done on the inspector, and what its line of keys says in each pane and view."""

from __future__ import annotations

from ctxtui.commands.command import ALWAYS, Command, Footer, Hinting
from ctxtui.commands.common import LISTS, TEXT
from ctxtui.library.review_keys import REVIEW

INSPECTOR: tuple[Command, ...] = (
    Command("a", "operate('APPEND')", "Append", "Add messages at the end", "change"),
    Command("i", "operate('INSERT')", "Insert", "Add messages at a position", "change"),
    Command("r", "operate('REPLACE')", "Replace", "Put another message in its place", "change"),
    Command("t", "operate('TRUNCATE')", "Truncate", "Keep or remove a stretch", "change"),
    Command("s", "operate('COMPRESS')", "Compress", "Put a summary in place of messages", "change"),
    Command(
        "f",
        "operate('FILTER')",
        "Filter by rule",
        "Keep the messages that pass conditions",
        "change",
    ),
    Command("c", "operate('CLEAR')", "Clear", "Hide everything but system messages", "change"),
    Command("d", "operate('DELETE')", "Delete", "Hide the selected messages", "change"),
    Command("asterisk", "keep_only", "Keep only", "Hide all but the selected messages", "change"),
    Command("x", "operate('REDACT')", "Redact", "Clear texts and tool results", "change"),
    Command("b", "operate('BATCH_START')", "Start a batch", "Open a batch by hand", "change"),
    Command("F", "operate('REPAIR')", "Repair", "Make tool calls and results fit again", "change"),
    Command("X", "repair('drop')", "Drop", "Repair: hide halves of broken pairs", "change"),
    Command("E", "repair('restore')", "Restore", "Repair: bring missing halves back", "change"),
    Command("H", "repair('stub')", "Stub", "Repair: stand-ins for missing results", "change"),
    Command("o", "operations", "All", "Show all operations", "change"),
    Command("K", "offer", "Offer", "Preview the cut offered above the threshold", "change"),
    Command("p", "put_back", "Put back", "Put a copy of a hidden message back", "change"),
    Command("m", "mark", "Mark", "Put a label on the message, or take it off", "change"),
    Command(
        "comma", "operate('CONFIGURE')", "Settings", "Counter, limit, policy, profile", "change"
    ),
    Command("R", "roll_back", "Roll back", "Roll back to the batch that is looked at", "time"),
    Command("u", "undo", "Undo", "Take back the newest change", "time"),
    Command("U,ctrl+r", "redo", "Redo", "Make the change again that was undone last", "time"),
    Command("T", "switch_off", "Toggle", "Switch the looked-at batch's operation off", "time"),
    Command("equals_sign", "diff", "Diff", "Compare the looked-at batch with now", "look"),
    Command("w", "what_if", "What-if", "Try recipes side by side", "look"),
    Command("I", "calls", "Call", "See what was really sent, and what it cost", "look"),
    *REVIEW,
    Command("semicolon", "note", "Note", "Write a note about the message", "keep"),
    Command("M", "record", "Record", "Save batches as a recipe", "keep"),
    Command("P", "picture", "Picture", "Save a picture of the screen", "rest"),
    Command("D", "squash", "Squash", "Make a session of what is visible, and open it", "keep"),
    Command("Z", "split", "Split", "Two sessions: before this message, and on", "keep"),
    Command("f2", "warnings", "Warnings", "List what importing the file changed or lost", "keep"),
    Command("J", "check", "Check", "Check every invariant of the session", "keep"),
    Command("S,ctrl+s", "save", "Save", "Fold everything into the session's file", "keep"),
    Command("O", "library", "Library", "Close the session and show all of them", "keep"),
    Command("e", "export", "Export", "Write the conversation to a file", "keep"),
    Command("question_mark", "help", "Help", "Show all keys", "rest"),
    Command("A", "app.ascii", "ASCII", "Draw with plain ASCII signs, or with all", "rest"),
    Command("C", "app.command_palette", "Palette", "Find any command by typing", "rest"),
    Command("q", "app.quit", "Quit", "Leave the app", "rest"),
)
"""Changing, keeping and leaving a conversation."""

EXPLORER: tuple[Command, ...] = (
    Command("left_square_bracket,h", "step(-1)", "Step", "Look at the batch before", "time"),
    Command("right_square_bracket,l", "step(1)", "Later", "Look at the batch after", "time"),
    Command("B", "bisect", "Culprit", "Go to the first batch with an error and such", "time"),
    Command("slash", "search", "Search", "Find text in every message", "look"),
    Command("n", "next_hit(1)", "Next", "Go to the next message found", "look"),
    Command("N", "next_hit(-1)", "Previous", "Go to the message found before", "look"),
    Command("colon", "go_to", "Go to", "Go to a raw index, or with # to a batch", "look"),
    Command("ampersand", "filter", "Filter", "Choose what the lists or the view show", "look"),
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
    Command(
        "W",
        "turn_over",
        "Arrays or state",
        "Show the index arrays, or state and snapshots",
        "panes",
    ),
    Command("at", "fields", "Fields", "Show what the file had beside its messages", "panes"),
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


# What can be done in a session that another program is writing.

FOLLOWING: tuple[Command, ...] = (
    Command("f", "follow", "Follow", "Go to the newest message, and stay at the end", "time"),
)
"""Keeping up with whoever writes; only there, FILTER has no key of its own."""


# The player: going through the journal, record by record.

PLAYER: tuple[Command, ...] = (
    Command("space", "play", "Play", "Play the journal from here, or pause", "time"),
    Command("right", "record(1)", "Next record", "Show what the next record left", "time"),
    Command("left", "record(-1)", "Record before", "Show what the record before left", "time"),
    Command("less_than_sign", "speed(-1)", "Slower", "Play the journal slower", "time"),
    Command("greater_than_sign", "speed(1)", "Faster", "Play the journal faster", "time"),
    Command("n", "next_turn", "Turn back", "Go to the next ROLLBACK, CHECKOUT or UNDO", "time"),
    Command("y", "copy_record", "Copy record", "Copy the record as JSON", "look"),
)
"""Playing the journal; these keys work in its view."""


# What the line of keys says on the inspector: in each pane, in each view, now and in the past.

_hint = Hinting(INSPECTING, LISTS, TEXT, PLAYER, FOLLOWING)

REPAIRS = (
    _hint("repair('restore')", "bring it back", "restore", when="changing restore", rank=1),
    _hint("repair('drop')", "drop it", "drop", when="changing drop", rank=1),
    _hint("repair('stub')", "stand in for it", "stub", when="changing stub", rank=1),
)
CHANGE = (
    _hint("offer", "preview the cut", "offer", when="offer", rank=1),
    *REPAIRS,
    _hint("put_back", "put it back", "put back", when="changing hidden", rank=1),
    _hint("operate('DELETE')", "hide {selected}", "hide", when="changing selected", rank=2),
    _hint("operate('COMPRESS')", "compress {selected}", "sum up", when="changing selected", rank=2),
    _hint("operate('REDACT')", "redact {selected}", "redact", when="changing selected", rank=3),
    _hint("mark", "mark {selected}", "mark", when="changing selected", rank=3),
    _hint("operate('APPEND')", "append", "add", when="changing", rank=3),
    _hint("operate('INSERT')", "insert", when="changing", rank=6),
    _hint("operate('REPLACE')", "replace", "edit", when="changing sent", rank=6),
    _hint("operate('TRUNCATE')", "truncate", "cut", when="changing sent", rank=2),
    _hint("operate('COMPRESS')", "compress", "sum up", when="changing sent", rank=4),
)
STEPS = (
    _hint("step(-1)", "back", when="earlier", rank=3),
    _hint("step(1)", "later", when="later", rank=2),
)
FROM_THERE = (
    _hint("roll_back", "roll back to {past}", "roll back", when="past on_path", rank=1),
    _hint("roll_back", "check out {past}", "check out", when="past", rank=1),
    _hint("switch_off", "switch it off", "switch off", when="past switchable", rank=3),
    _hint("record", "as a recipe", "record", when="past", rank=5),
)
TURNS = (
    _hint("undo", "undo", when="undo", rank=2),
    _hint("redo", "redo", when="redo", rank=2),
)
TIME = (*STEPS, *FROM_THERE, *TURNS)
HITS = (_hint("next_hit(1)", "{found}", "match", when="found", rank=2, keys="n N"),)
COMPARE = (
    _hint("diff", "diff with {now}", "diff", when="past", rank=3),
    _hint("what_if", "what-if here", "what-if", when="past", rank=4),
    _hint("calls", "calls", when="calls", rank=4),
    _hint("diff", "diff", when="earlier", rank=4),
    _hint("what_if", "what-if", when="changing", rank=5),
)
SEARCH = (_hint("search", "find", rank=4),)
OUT = (
    _hint("follow", "{news} new", when="following news", rank=1),
    _hint("follow", "follow", when="following", rank=3),
    _hint("back", "{out}", "{out_short}", when="out", rank=1),
)
REST = (_hint("operations", "all", when="changing", rank=ALWAYS), _hint("help", rank=ALWAYS))
JUDGING = (
    _hint("judge('accepted')", "verdict", keys="+ - !", when="judging", rank=2),
    _hint("judge('accepted')", "verdict", keys="+ - !", when="several writable", rank=8),
    _hint("other(1)", "other", keys="< >", when="several", rank=7),
)
PANE = (*JUDGING, *OUT, _hint("next_pane(1)", "pane", rank=6), *REST)
VIEW = (
    *OUT,
    _hint("next_pane(1)", "next part", "next", when="parts", rank=6),
    _hint("next_view", "next view", "view", rank=3),
    *REST,
)
SCROLL = (
    _hint("scroll_down", "scroll", keys="j k", rank=3),
    _hint("zoom", "smaller", when="zoomed", rank=5),
    _hint("zoom", "maximise", "max", rank=5),
)

MESSAGES: Footer = (
    CHANGE,
    TIME,
    (
        _hint("open", "read", when="message", rank=3),
        _hint("select", "select", when="message changing", rank=7),
        _hint("select_range", "ends the range", "end", when="anchor", rank=1),
        *HITS,
        *COMPARE,
        *SEARCH,
    ),
    PANE,
)
FOOTERS: dict[str, Footer] = {
    "Explorer": (CHANGE, TIME, (*HITS, *COMPARE, *SEARCH), PANE),
    "#raw": MESSAGES,
    "#visible": MESSAGES,
    "#message": (
        SCROLL,
        REPAIRS,
        TIME,
        (
            _hint("markdown", "as it is", "plain", when="markdown", rank=3),
            _hint("markdown", "Markdown", "md", rank=3),
            _hint("copy", "copy", when="message", rank=3),
            *HITS,
            *SEARCH,
        ),
        PANE,
    ),
    "#timeline": (
        (
            _hint("move(1)", "batch", keys="j k", when="batches", rank=2),
            _hint("open", "go into it", "into", rank=1),
        ),
        (*FROM_THERE, *TURNS),
        (
            *COMPARE,
            _hint("bisect", "find the culprit", "culprit", when="batches", rank=7),
        ),
        PANE,
    ),
    "#batch": (
        (
            _hint("move(1)", "message", "move", keys="j k", rank=3),
            _hint("open", "go to it", "go", when="on_message", rank=1),
            _hint("open", "open the call", "call", when="on_call", rank=1),
        ),
        TIME,
        COMPARE,
        PANE,
    ),
    "#roles": (
        (
            _hint("fold(True)", "role", keys="← →", when="columns", rank=3),
            _hint("move(1)", "message", "move", keys="j k", rank=5),
            _hint("open", "go to it", "go", when="message", rank=2),
            _hint("filter", "which messages", "which", rank=1),
        ),
        TIME,
        (*HITS, *SEARCH),
        VIEW,
    ),
    "#markmap": (
        (
            *SCROLL,
            _hint("turn_over", "state and snapshots", "state", rank=2),
            _hint("fields", "other fields", "fields", when="fields", rank=3),
        ),
        TIME,
        VIEW,
    ),
    "#snapshots": (
        (
            _hint("move(1)", "snapshot", "move", keys="j k", rank=4),
            _hint("fold(True)", "open it", "open", keys="→ ←", rank=3),
            _hint("open", "look at it", "look", when="batches", rank=3),
            _hint("turn_over", "index arrays", "arrays", rank=2),
            _hint("fields", "other fields", "fields", when="fields", rank=3),
        ),
        TIME,
        VIEW,
    ),
    "#other-fields": (
        (*SCROLL, _hint("turn_over", "index arrays", "arrays", rank=2)),
        TIME,
        VIEW,
    ),
    "#tokens": (SCROLL, (*TIME, _hint("calls", "calls", when="calls", rank=3)), VIEW),
    "#journal": (
        (
            _hint("play", "pause", when="playing", rank=1),
            _hint("play", "play", rank=1),
            _hint("record(1)", "record", keys="← →", rank=2),
            _hint("speed(1)", "speed", keys="< >", rank=5),
        ),
        (
            _hint("next_turn", "next turn back", "turn", when="turn", rank=4),
            _hint("open", "open this state", "open", rank=2),
            _hint("roll_back", "go back to it", "go back", when="past", rank=4),
        ),
        (
            _hint("diff", "diff with now", "diff", when="past", rank=3),
            _hint("copy_record", "copy record", "copy", rank=6),
        ),
        VIEW,
    ),
    "#lint": (
        (
            _hint("move(1)", "finding", keys="j k", when="finding", rank=4),
            _hint("open", "go to it", "go", when="finding", rank=2),
        ),
        (*REPAIRS, _hint("operate('REPAIR')", "repair", when="changing finding", rank=3)),
        (*TIME, _hint("filter", "whose rules", "rules", rank=3)),
        VIEW,
    ),
    "#finding": (SCROLL, REPAIRS, TIME, VIEW),
    "#repairs": (SCROLL, REPAIRS, TIME, VIEW),
}
"""What is shown in each pane and view of the inspector."""
