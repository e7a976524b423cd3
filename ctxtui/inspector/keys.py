"""The commands of the inspector, and the footer of each of its panes and views."""

from __future__ import annotations

from functools import partial

from ctxtui.commands.command import ALWAYS, Command, Footer, footer
from ctxtui.commands.common import ASCII, DOWN, EXPAND, NOTICES, OPEN, SCROLL, SEEN
from ctxtui.library.keys import ACCEPT, REVIEW

INSPECTOR: tuple[Command, ...] = (
    Command("a", "operate('APPEND')", "Append", "Add messages at the end", "change").hint(
        when="changing", rank=3
    ),
    Command("i", "operate('INSERT')", "Insert", "Add messages at a position", "change").hint(
        when="changing", rank=6
    ),
    Command("r", "operate('REPLACE')", "Replace", "Replace the selected message", "change").hint(
        when="changing sent", rank=6
    ),
    Command("t", "operate('TRUNCATE')", "Truncate", "Keep or remove a stretch", "change").hint(
        when="changing sent", rank=2
    ),
    Command("s", "operate('COMPRESS')", "Compress", "Replace messages by a summary", "change")
    .hint("compress {selected}", when="changing selected", rank=2)
    .hint("compress", when="changing sent", rank=4),
    Command(
        "f",
        "operate('FILTER')",
        "Filter by rule",
        "Keep the messages that pass conditions",
        "change",
    ),
    Command("c", "operate('CLEAR')", "Clear", "Hide everything but system messages", "change"),
    Command("d", "operate('DELETE')", "Hide", "Hide the selected messages (DELETE)", "change").hint(
        "hide {selected}", when="changing selected", rank=2
    ),
    Command("asterisk", "keep_only", "Keep only", "Hide all but the selected messages", "change"),
    Command("x", "operate('REDACT')", "Redact", "Clear texts and tool results", "change").hint(
        "redact {selected}", when="changing selected", rank=3
    ),
    Command("b", "operate('BATCH_START')", "Start a batch", "Open a batch by hand", "change"),
    Command(
        "F", "operate('REPAIR')", "Repair", "Make tool calls and results fit again", "change"
    ).hint(when="changing finding", rank=3),
    Command("X", "repair('drop')", "Drop", "Repair: hide halves of broken pairs", "change").hint(
        when="changing drop", rank=1
    ),
    Command(
        "E", "repair('restore')", "Restore", "Repair: bring missing halves back", "change"
    ).hint(when="changing restore", rank=1),
    Command(
        "H", "repair('stub')", "Stub", "Repair: placeholders for missing results", "change"
    ).hint(when="changing stub", rank=1),
    Command("o", "operations", "All", "Show all operations", "change").hint(
        when="changing", rank=ALWAYS
    ),
    Command("K", "offer", "Offer", "Preview the cut offered above the threshold", "change").hint(
        when="offer", rank=1
    ),
    Command("p", "put_back", "Put back", "Put a copy of a hidden message back", "change").hint(
        when="changing hidden", rank=1
    ),
    Command("m", "mark", "Mark", "Put a label on the message, or take it off", "change").hint(
        "mark {selected}", when="changing selected", rank=3
    ),
    Command(
        "comma", "operate('CONFIGURE')", "Settings", "Counter, limit, policy, profile", "change"
    ),
    Command("R", "roll_back", "Roll back", "Roll back to the selected batch", "time")
    .hint("roll back to {past}", when="past on_path", rank=1)
    .hint("check out {past}", when="past", rank=1),
    Command("u", "undo", "Undo", "Undo the newest change", "time").hint(when="undo", rank=2),
    Command("U,ctrl+r", "redo", "Redo", "Make the change again that was undone last", "time").hint(
        when="redo", rank=2
    ),
    Command(
        "T", "switch_off", "Switch off", "Switch the selected batch's operation off", "time"
    ).hint(when="past switchable", rank=3),
    Command("equals_sign", "diff", "Diff", "Compare the selected batch with now", "look")
    .hint(when="past", rank=3)
    .hint(when="earlier", rank=4),
    Command("w", "what_if", "What-if", "Compare recipes and policies, now and over the run", "look")
    .hint(when="past", rank=4)
    .hint(when="changing"),
    Command("I", "calls", "Calls", "See what was really sent, and what it cost", "look").hint(
        when="calls", rank=4
    ),
    SEEN,
    *REVIEW,
    Command("semicolon", "note", "Note", "Write a note about the message", "keep"),
    Command("M", "record", "Record", "Save batches as a recipe", "keep").hint(when="past"),
    Command("", "picture", "Picture", "Save a picture of the screen", "rest"),
    Command("", "squash", "Squash", "Make a session of what is visible, and open it", "keep"),
    Command("", "split", "Split", "Two sessions: before this message, and on", "keep"),
    Command("f2", "warnings", "Warnings", "List what importing the file changed or lost", "keep"),
    Command("Z", "loom", "Loom", "Zoom out: the whole history as a poster", "look"),
    Command("", "check", "Check", "Check every invariant of the session", "keep"),
    Command("S,ctrl+s", "save", "Save", "Fold everything into the session's file", "keep"),
    Command("O", "library", "Library", "Close the session and show all of them", "keep"),
    Command("e", "export", "Export", "Write the conversation to a file", "keep"),
    Command("question_mark", "help", "Help", "Show all keys", "rest").hint(rank=ALWAYS),
    NOTICES,
    ASCII,
    Command("C", "app.command_palette", "Palette", "Find any command by typing", "rest"),
    Command("q", "app.quit", "Quit", "Leave the app", "rest"),
)
"""Changing, keeping and leaving a conversation."""

FILTER = Command("ampersand", "filter", "Filter", "Choose what the lists or the view show", "look")
MOVES_BORDER = "Move the border of the pane; the mouse drags it"
WAYS = (("left", "x", -1), ("right", "x", 1), ("up", "y", -1), ("down", "y", 1))
EXPLORER: tuple[Command, ...] = (
    Command("left_square_bracket,h", "step(-1)", "Earlier", "View the batch before", "time").hint(
        when="earlier", rank=3
    ),
    Command("right_square_bracket,l", "step(1)", "Later", "View the batch after", "time").hint(
        when="later", rank=2
    ),
    Command("B", "bisect", "Culprit", "Find the first batch with a problem", "time").hint(
        when="batches", rank=7
    ),
    Command("slash", "search", "Search", "Find text in every message", "look").hint(rank=4),
    Command("n", "next_hit(1)", "Next", "Go to the next message found", "look").hint(
        "{found}", when="found", rank=2, keys="n N"
    ),
    Command("N", "next_hit(-1)", "Previous", "Go to the message found before", "look"),
    Command(
        "apostrophe", "next_raw('hidden')", "Next hidden", "Go to the next hidden message", "look"
    ),
    Command(
        "quotation_mark", "next_raw('labelled')", "Next labelled", "Go to the next label", "look"
    ).hint(when="labels", rank=6),
    Command("colon", "go_to", "Go to", "Go to a raw index, or with # to a batch", "look"),
    FILTER,
    Command("y", "copy", "Copy", "Copy the message to the clipboard", "look").hint(
        when="message", rank=3
    ),
    Command("", "copy_all", "Copy all", "Copy the visible projection as JSON", "look"),
    Command("9,L", "view('lint-view')", "Lint", "See what a provider would refuse", "look"),
    Command(
        "z", "zoom", "Maximise", "Give the pane the whole screen, or take it back", "look"
    ).hint(),
    Command(
        "V", "markdown", "Markdown", "Lay the message out as Markdown, or as it is", "look"
    ).hint(rank=3),
    *(
        Command(f"shift+{way}", f"resize('{axis}', {by})", f"Border {way}", MOVES_BORDER, "panes")
        for way, axis, by in WAYS
    ),
    Command("", "reset_panes", "Reset panes", "Give the panes their usual sizes again", "panes"),
    Command("1", "pane('raw')", "Raw", "Go to the raw array", "panes"),
    Command("2", "pane('visible')", "Visible", "Go to the visible projection", "panes"),
    Command("3", "pane('message')", "Message", "Go to the message", "panes"),
    Command("4", "pane('timeline')", "Timeline", "Go to the batch timeline", "panes"),
    Command("tab", "next_pane(1)", "Next pane", "Go to the next pane", "panes")
    .hint("next", when="parts", rank=6)
    .hint("next", when="inspector", rank=6),
    Command("shift+tab", "next_pane(-1)", "Pane before", "Go to the pane before", "panes"),
    Command("0", "view('text')", "Text", "Read the conversation as one text", "panes"),
    Command("5", "view('roles')", "Roles", "See what each role said", "panes"),
    Command("6", "arrays", "Mark map", "See the index arrays; again, state and snapshots", "panes")
    .hint("arrays", when="snapshots", rank=2)
    .hint("state", rank=2),
    Command("7", "view('journal')", "Journal", "Play the history, record by record", "panes"),
    Command("8", "view('tokens')", "Tokens", "See who holds the tokens", "panes"),
    Command("at", "fields", "Other fields", "Show other fields of the file", "panes").hint(
        when="fields", rank=3
    ),
    Command("escape", "back", "Back", "Return to the present, or to the inspector", "time").hint(
        "{out}", when="out", rank=ALWAYS
    ),
)
"""Looking around in a conversation."""

PANES: tuple[Command, ...] = (
    Command("space", "select", "Select", "Select the message, or clear it", "look").hint(
        when="message changing", rank=7
    ),
    Command(
        "v", "select_range", "Select range", "Select from here to where v comes again", "look"
    ).hint("end range", when="anchor", rank=1),
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


FOLLOWING: tuple[Command, ...] = (
    Command("f", "follow", "Follow", "Go to the newest message, and stay at the end", "time")
    .hint("{news} new", when="following news", rank=1)
    .hint(when="following", rank=3),
)
"""Following a session that another program writes; only there, f is not FILTER."""


PLAYER: tuple[Command, ...] = (
    Command("space", "play", "Play", "Play the journal from here, or pause", "time")
    .hint("pause", when="playing", rank=1)
    .hint(rank=1),
    Command("right", "record(1)", "Next record", "Show what the next record left", "time").hint(
        "record", keys="← →", rank=2
    ),
    Command("left", "record(-1)", "Record before", "Show what the record before left", "time"),
    Command("less_than_sign", "speed(-1)", "Slower", "Play the journal slower", "time"),
    Command("greater_than_sign", "speed(1)", "Faster", "Play the journal faster", "time").hint(
        "speed", keys="< >"
    ),
    Command(
        "n", "next_turn", "Turn back", "Go to the next ROLLBACK, CHECKOUT or UNDO", "time"
    ).hint("next turn back", when="turn", rank=4),
    Command("y", "copy_record", "Copy", "Copy the record as JSON", "look").hint(rank=6),
)
"""Playing the journal; these keys work in its view."""


CHANGE = (
    "offer repair('restore') repair('drop') repair('stub') put_back operate('DELETE') "
    "operate('REDACT') mark operate('APPEND') operate('INSERT') operate('REPLACE') "
    "operate('TRUNCATE') operate('COMPRESS')"
)
REPAIRS = "repair('restore') repair('drop') repair('stub')"
FROM_THERE = "roll_back switch_off record undo redo"
TIME = f"step(-1) step(1) {FROM_THERE}"
COMPARE = "diff what_if calls"
FIND = "next_hit(1) search"
FIND_AND_COMPARE = f"next_hit(1) {COMPARE} search"
REST = "operations help"
VERDICT = ACCEPT.hint("verdict", keys="+ - !", when="judging", rank=2).hint(
    "verdict", keys="+ - !", when="several writable", rank=8
)
OTHER = REVIEW[-1].hint("other", keys="< >", when="several", rank=7)
PANE = (VERDICT, OTHER, f"follow back next_pane(1) {REST}")
VIEW = f"follow back next_pane(1) {REST}"
READ = (SCROLL.hint("scroll", keys="j k", rank=3), "zoom")

TEXT_VIEW: tuple[Command, ...] = (
    Command("}", "next_message(1)", "Next message", "Go to it", "look").hint(
        "message", keys="{ }", rank=3
    ),
    Command("{", "next_message(-1)", "Message before", "Go to it", "look"),
    Command(
        "enter", "unfold", "Unfold", "Show all of a tool result, or fold it again", "look"
    ).hint(when="folded", rank=2),
)
"""Reading the conversation as one text."""

_footer = partial(footer, (*INSPECTING, *PLAYER, *FOLLOWING, *TEXT_VIEW))

MESSAGES = _footer(
    CHANGE,
    TIME,
    (OPEN.hint("read", when="message", rank=3), "select select_range", FIND_AND_COMPARE),
    PANE,
)
FOOTERS: dict[str, Footer] = {
    "Explorer": _footer(CHANGE, TIME, FIND_AND_COMPARE, PANE),
    "#raw": MESSAGES,
    "#visible": MESSAGES,
    "#message": _footer(READ, REPAIRS, TIME, f"markdown copy {FIND}", PANE),
    "#timeline": _footer(
        (
            DOWN.hint("batch", keys="j k", when="batches", rank=2),
            OPEN.hint(rank=1),
        ),
        FROM_THERE,
        f"{COMPARE} bisect",
        PANE,
    ),
    "#batch": _footer(
        (
            DOWN.hint("message", keys="j k", rank=3),
            OPEN.hint("go to it", when="on_message", rank=1).hint(
                "open call", when="on_call", rank=1
            ),
        ),
        TIME,
        COMPARE,
        PANE,
    ),
    "#roles": _footer(
        (
            EXPAND.hint("role", keys="← →", when="columns", rank=3),
            DOWN.hint("message", keys="j k"),
            OPEN.hint("go to it", when="message", rank=2),
            FILTER.hint("filter", rank=1),
        ),
        TIME,
        FIND,
        VIEW,
    ),
    "#markmap": _footer((*READ, "arrays fields"), TIME, VIEW),
    "#snapshots": _footer(
        (
            DOWN.hint("snapshot", keys="j k", rank=4),
            EXPAND.hint("open", keys="→ ←", rank=3),
            OPEN.hint("open", when="batches", rank=3),
            "arrays fields",
        ),
        TIME,
        VIEW,
    ),
    "#other-fields": _footer((*READ, "arrays"), TIME, VIEW),
    "#tokens": _footer(READ, f"{TIME} calls seen", VIEW),
    "#text": _footer(
        (SCROLL.hint("scroll", keys="j k", rank=4), "next_message(1) unfold mark"),
        TIME,
        f"{FIND} copy",
        PANE,
    ),
    "#journal": _footer(
        "play record(1) speed(1)",
        ("next_turn", OPEN.hint("open", rank=2), "roll_back"),
        "diff copy_record",
        VIEW,
    ),
    "#lint": _footer(
        (
            DOWN.hint("finding", keys="j k", when="finding", rank=4),
            OPEN.hint("go to it", when="finding", rank=2),
        ),
        f"{REPAIRS} operate('REPAIR') seen",
        (TIME, FILTER.hint("filter", rank=3)),
        VIEW,
    ),
    "#finding": _footer(READ, REPAIRS, TIME, VIEW),
    "#repairs": _footer(READ, REPAIRS, TIME, VIEW),
}
"""The footer of each pane and view of the inspector."""
