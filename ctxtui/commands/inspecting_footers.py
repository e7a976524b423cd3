"""What the line of keys says on the inspector: in each pane, in each view, now and in the past.

The facts come from the explorer and from the session (``ctxtui/explorer/facts.py`` and
``ctxtui/models/workspace.py``).
"""

from __future__ import annotations

from ctxtui.commands.following import FOLLOWING
from ctxtui.commands.hints import ALWAYS, Footer, Hinting
from ctxtui.commands.inspecting import INSPECTING
from ctxtui.commands.lists import LISTS, TEXT
from ctxtui.commands.player import PLAYER

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
