"""The status line: batch, counts, lint, and the tokens against the limit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rich.cells import cell_len

from ctxtui.core.engine.tokens import is_exact
from ctxtui.core.engine.views import View
from ctxtui.core.storage import Session
from ctxtui.inspector.drawing.words import viewed, viewed_operation
from ctxtui.inspector.models.look import Frame, Look, figures_of
from ctxtui.inspector.models.workspace import Liveness
from ctxtui.text.icons import ERROR, PASSED, WARNING
from ctxtui.text.lines import Line, Piece, fit, fit_pieces, line_width, longest, spread
from ctxtui.text.numbers import tokens
from ctxtui.text.plots import gauge
from ctxtui.text.plurals import percent, plural
from ctxtui.text.ribbon import Ribbon, RibbonAxis, with_cursor
from ctxtui.text.symbols import printable

GAUGES = (24, 16, 10)


def status(look: Look, width: int) -> Line:
    """Return the state of the conversation, in as many words as there is room for."""
    return longest(_status_ways(look), width)


def _status_ways(look: Look) -> Iterator[tuple[Line, Line]]:
    start = [*place(look), Piece("   "), *_counts(look, " raw")]
    profile = look.conversation.settings.profile
    forgotten = labelled_hidden(look)
    yield [*start, *lint(look, profile), *forgotten], amount(look, GAUGES[0], has_counter=True)
    for cells in GAUGES:
        yield [*start, *lint(look), *forgotten], amount(look, cells, has_counter=True)
    yield [*start, *lint(look), *forgotten], amount(look, GAUGES[-1])
    brief = [*place(look), Piece("   "), *_counts(look), *lint(look, is_short=True)]
    yield [*brief, *labelled_hidden(look, is_short=True)], amount(look, GAUGES[-1])
    yield brief, amount(look, GAUGES[-1])
    yield brief, amount(look, 0)
    yield [*place(look), Piece("  "), *lint(look, is_short=True)], amount(look, 0)


def labelled_hidden(look: Look, *, is_short: bool = False) -> Line:
    """Return how many labelled messages are hidden, if any is."""
    count = look.labelled_hidden
    if not count:
        return []
    return [
        Piece("  "),
        Piece(f"★{'' if is_short else ' '}{count:,}{'' if is_short else ' hidden'}", "mark"),
    ]


def place(look: Look) -> Line:
    """Return which batch it is, and of how many."""
    number = str(look.batch.number)
    where, _, rest = viewed(look).partition(f" {number}")
    return [Piece(f" {where} ", "muted"), Piece(number, "bright"), Piece(rest, "muted")]


def _counts(look: Look, noun: str = "") -> Line:
    words = f" visible of {look.log_size:,}{noun}   "
    return [Piece(f"{len(look.view):,}", "bright"), Piece(words, "muted")]


def unlinted(look: Look) -> Piece:
    """Return what is shown in the place of findings: that they are not known yet, or can't be."""
    return ERROR.piece("not linted") if look.is_unlintable else Piece("… linting", "muted")


def lint(look: Look, profile: str = "", *, is_short: bool = False) -> Line:
    """Return how many errors and warnings there are; the profile's name where one is given."""
    if not look.is_linted:
        return [unlinted(look)]
    if not look.findings:
        words = f"{profile} passes" if profile else "" if is_short else "no errors"
        return [Piece(PASSED.glyph, PASSED.kind), Piece(f" {words}" if words else "", "muted")]
    line: Line = []
    for sign, count, noun in ((ERROR, look.errors, "error"), (WARNING, look.warnings, "warning")):
        if count:
            told = f"{count:,}" if is_short else plural(count, noun)
            line += [Piece(" " if line else ""), sign.piece(told)]
    return [*line, Piece(f"  {profile} profile", "muted")] if profile else line


def amount(look: Look, cells: int, *, has_counter: bool = False) -> Line:
    """Return the visible tokens against the limit, behind a gauge of some cells."""
    settings = look.conversation.settings
    limit, total = settings.token_limit, look.total
    compression = settings.compression_config
    tick = compression.threshold if compression.enabled else None
    about = "" if is_exact(look.counter) else "~"
    line = [*gauge(look.role_tokens, limit, tick, cells), Piece("  ")] if cells else []
    counter = [Piece(f"  {look.counter}" if has_counter else "", "muted"), Piece(" ")]
    if limit is None:
        amount = [Piece(f"{about}{tokens(total)}", "bright"), Piece(" tokens", "muted")]
        return [*line, *amount, *counter]
    over = "error" if total > limit else "warn" if tick is not None and total > tick else "bright"
    line.append(Piece(f"{'! ' if total > limit else ''}{about}{tokens(total)}", over))
    line.append(Piece(f" of {tokens(limit)}  ", "muted"))
    return [*line, Piece(percent(total, limit), "bright"), *counter]


# The head of a small screen: what it is, how full it is, and the panes as tabs.

GAUGE_CELLS = 14
LEAST_RIBBON = 12
LEAST_TITLE = 8


def session_line(look: Look, title: str, saved: Line, width: int) -> Line:
    """Return the session, whether it is saved, the batch and the errors."""
    shown = printable(title, 80)
    size = cell_len(shown)

    def ways() -> Iterator[tuple[Line, Line]]:
        brief = [*lint(look, is_short=True), *labelled_hidden(look, is_short=True), Piece(" ")]
        full = [*lint(look), *labelled_hidden(look), Piece(" ")]
        ends = [[*place(look), Piece("   "), *full], [*place(look), Piece("  "), *brief], brief]
        for end in ends:
            left = Piece(f" {shown}  ", "bright")
            yield [left, *saved], end
            room = width - line_width([*saved, *end]) - len("    ")
            if LEAST_TITLE <= room < size:
                yield [Piece(f" {fit(shown, room)}  ", "bright"), *saved], end
        yield list(saved), ends[-1]

    return longest(ways(), width)


def narrow_ends(look: Look, width: int) -> tuple[Line, Line]:
    """Return what is before and behind the ribbon of a small screen."""
    lead = [
        Piece(f" {tokens(len(look.view))}", "bright"),
        Piece(f" of {tokens(look.log_size)} ", "muted"),
    ]
    for cells in (GAUGE_CELLS, 8, 0):
        tail = [Piece(" "), *amount(look, cells)]
        if width - line_width([*lead, *tail]) >= LEAST_RIBBON:
            return lead, tail
    return lead, [Piece(" ")]


# The viewing bar: that an earlier state is shown, what made it so, and how to get away.

ROLL_BACK, RETURN, FOLLOW = "R", "esc", "f"
CHOICES = {ROLL_BACK: "roll_back", RETURN: "back", FOLLOW: "follow"}


def viewing(look: Look, width: int, *, news: int = 0) -> Line:
    """Return the bar; where there is little room its sentences lose words, never parts of them.

    What has come meanwhile is shown before the keys.
    """
    return longest(
        ((left, [*_news(news, right), *right]) for left, right in _viewing_ways(look)), width
    )


def _news(count: int, keys: Line) -> Line:
    """Return how much has come, and the key that follows it where others are shown."""
    if not count:
        return []
    told = [Piece(f" {count:,} new ", "notice")]
    return [*told, Piece(" f", "notice"), Piece(" follow ", "note")] if keys else told


def _viewing_ways(look: Look) -> Iterator[tuple[Line, Line]]:
    where, what, hid = f" ● VIEWING {viewed(look).upper()}", viewed_operation(look), _hid(look)
    now = look.conversation.batch.number
    words = what.split(" ")
    full, short = _keys("roll back to it", f"return to {now}"), _keys("roll back", "return")
    yield _left(where, "read-only", what, hid), full
    yield _left(where, "read-only", what, hid), short
    yield _left(where, "read-only", what), short
    yield _left(where, what), short
    for count in range(len(words) - 1, 0, -1):
        yield _left(where, "read-only", f"{' '.join(words[:count])} …", hid), full
    for count in range(min(4, len(words) - 1), 0, -1):
        yield _left(where, "read-only", f"{' '.join(words[:count])} …"), short
    yield _left(where, "read-only", words[0]), short
    yield _left(where, words[0]), short
    yield _left(where), short
    yield _left(where), _keys("", "")
    yield _left(f" ● {viewed(look).upper()}"), _keys("", "")
    yield _left(f" ● {viewed(look).upper()}"), []


def _hid(look: Look) -> str:
    change = look.change
    if change is None:
        return ""
    came = len(change.added) + len(change.shown)
    word = "brought" if len(change.shown) else "added"
    return f"hid {len(change.hidden):,}, {word} {came:,}"


def _left(where: str, *told: str) -> Line:
    """Return which state is shown; every other part is loud."""
    line = [Piece(where, "notice")]
    for at, text in enumerate(part for part in told if part):
        line.append(Piece(f"  {text}", "notice" if at == 1 else "note"))
    return line


def _keys(back: str, out: str) -> Line:
    return [
        Piece(" R", "notice"),
        Piece(f" {back}  " if back else " ", "note"),
        Piece(RETURN, "notice"),
        Piece(f" {out} " if out else " ", "note"),
    ]


def viewing_choice(look: Look, width: int, x: int, *, news: int = 0) -> str:
    """Return what is in the bar at a cell: rolling back, returning, following, or nothing."""
    seen, chosen = 0, ""
    for text, kind in viewing(look, width, news=news):
        if kind == "notice":
            # What is to press and what it does are two pieces: both are one choice.
            chosen = CHOICES.get(text.strip(), chosen)
        seen += cell_len(text)
        if x < seen:
            return chosen
    return ""


# The corner of the head line: whether all is safe on disk, and whether another program writes.

LIVE, ENDED = "●", "○"
READ_ONLY = Piece("read-only ", "warn")


def saved_line(session: Session, live: Liveness | None = None, has_failed: bool = False) -> Line:
    """Return whether what was done is safe, and who else may do something."""
    is_file = live is not None and live.is_file
    return [_saved(session, has_failed, is_file), *([] if live is None else live_line(live))]


def _saved(session: Session, has_failed: bool, is_file: bool) -> Piece:
    if session.read_only or (is_file and session.problem is None):
        return READ_ONLY
    if not session.is_lasting:
        return Piece("not kept ", "warn")
    if session.problem is not None or (has_failed and not session.is_saved):
        return WARNING.piece("not saved ")
    return PASSED.piece("saved ") if session.is_saved else Piece("… saving ", "muted")


def live_line(live: Liveness) -> Line:
    """Return that the session is being written, or no longer."""
    if live.is_over:
        return [Piece(" "), WARNING.piece("not followed ")]
    sign, word, kind = (LIVE, "live", "ok") if live.is_written else (ENDED, "ended", "muted")
    return [Piece(f" {sign} {word} ", kind)]


# Tabs in a line: the views of a conversation, and on a small screen its panes.

VIEWS = {
    "inspector": "Inspector",
    "text": "Text",
    "roles": "Roles",
    "markmap": "Mark map",
    "journal": "Journal",
    "tokens": "Tokens",
    "lint-view": "Lint",
}


VIEW_KEYS = dict(zip(VIEWS, ("", *"056789"), strict=True))


@dataclass(frozen=True)
class Tab:
    """Something to turn to: the key that does, its name, and how much it holds."""

    name: str
    title: str
    key: str = ""
    amount: str = ""
    kind: str = "text"

    def pieces(self, is_active: bool, *, has_amount: bool) -> Line:
        key = f"{self.key} " if self.key else ""
        amount = f" {self.amount}" if has_amount and self.amount else ""
        if is_active:
            return [Piece(f" {key}{self.title}{amount} ", "chip")]
        words = [Piece(" "), Piece(key, "key"), Piece(self.title, "muted")]
        return [*words, Piece(amount, self.kind), Piece(" ")]


class TabLine:
    """Tabs for a width: names stay; the room between them, the hint and the amounts go first."""

    def __init__(
        self, tabs: list[Tab], active: str, width: int, hint: Line, lead: str | Line = ""
    ) -> None:
        ways = [(" ", True, hint), ("", True, hint), ("", True, []), ("", False, [])]
        line: Line = []
        end: Line = []
        for apart, has_amount, end in ways:
            self.places: list[tuple[int, int, str]] = []
            line = [Piece(lead, "bright")] if isinstance(lead, str) else list(lead)
            for tab in tabs:
                first = line_width(line)
                line += tab.pieces(tab.name == active, has_amount=has_amount)
                self.places.append((first, line_width(line), tab.name))
                line.append(Piece(apart))
            if line_width([*line, *end]) <= width:
                break
        self.line = spread(line, end, width)

    def at(self, x: int) -> str:
        return next((name for first, stop, name in self.places if first <= x < stop), "")


def view_tabs(look: Look | None, first: Tab | None = None) -> list[Tab]:
    """Return a tab for each view; lint says how much it has found."""
    tabs = [Tab(name, title, VIEW_KEYS.get(name, "")) for name, title in VIEWS.items()]
    found = 0 if look is None else len(look.findings)
    if look is not None and found:
        kind = "error" if look.errors else "warn"
        tabs[-1] = replace(tabs[-1], amount=tokens(found), kind=kind)
    return tabs if first is None else [first, *tabs[1:]]


def pane_tabs(look: Look) -> list[Tab]:
    """Return a tab for each pane with how much it holds, and one for the views behind them."""
    return [
        Tab("raw", "Raw", "1", tokens(look.log_size)),
        Tab("visible", "Visible", "2", tokens(len(look.view))),
        Tab("message", "Message", "3"),
        Tab("timeline", "Timeline", "4", tokens(len(look.conversation.batches))),
        Tab("text", "Text", "0"),
        Tab("roles", "Views", "5"),
    ]


def narrow_tabs(look: Look, view: str, pane: str, width: int) -> TabLine:
    """Return the tabs of a small screen: its panes, or while a view is shown the views."""
    if view == "inspector":
        return TabLine(pane_tabs(look), pane, width, _hint("tab"))
    panes = Tab("inspector", "Panes", "esc")
    return TabLine(view_tabs(look, panes), view, width, [])


def _hint(key: str) -> Line:
    return [Piece(key, "key"), Piece(" next ", "muted")]


# The ribbon above the panes: the log as it is, and while stepping as it was above that.


class LogRibbon:
    """The log of a look on lines of one width; cells are kept, since only the cursor moves often.

    The present has one line. While an earlier batch is shown it is the lower one of two, so
    that one sees what has gone since, and what was not there yet; red is what that batch hid. On a
    small screen counts stand before it, and the gauge behind.
    """

    def __init__(self, look: Look, width: int, *, is_narrow: bool = False) -> None:
        self._width = width
        self._whole = len(look.conversation.log)
        ends = self._narrow(look) if is_narrow else self._wide(look)
        leads, tails = zip(*ends, strict=True)
        self._lead = max(map(line_width, leads))
        self._tails: list[Line] = list(tails)
        self._leads: list[Line] = list(leads)
        self.axis = RibbonAxis(self._whole, width - self._lead - max(map(line_width, tails)))
        hid = None if look.change is None else look.change.hidden
        self._cells = [self._drawn(look, look.view, look.log_size, hid)]
        if not look.is_live:
            self._cells.append(self._drawn(look, look.now.view, self._whole, None))

    @property
    def height(self) -> int:
        return len(self._cells)

    def _wide(self, look: Look) -> list[tuple[Line, Line]]:
        last: Line = [Piece(f" {self._whole - 1:,} " if self._whole else " ", "faint")]
        if look.is_live:
            return [([Piece(" raw ", "muted")], last)]
        return [(lead, last) for lead in _times(look)]

    def _narrow(self, look: Look) -> list[tuple[Line, Line]]:
        lead, tail = narrow_ends(look, self._width)
        if look.is_live:
            return [(lead, tail)]
        then, now = _times(look)
        present = [
            Piece(f" {tokens(len(look.now.view))}", "muted"),
            Piece(f" of {tokens(self._whole)} ", "muted"),
        ]
        return [([*then, *lead], tail), ([*now, *present], [])]

    def _drawn(self, look: Look, view: View, size: int, hid: View | None) -> Line:
        conversation = look.conversation
        weights = figures_of(conversation, conversation.moment)
        drawn = Ribbon(conversation.log, weights, view, size=size, went=hid)
        return drawn.cells(self.axis)

    def line(self, at: int, cursor: int | None) -> Line:
        lead = fit_pieces(self._leads[at], self._lead)
        shown = with_cursor(self._cells[at], self.axis, cursor)
        return fit_pieces([*lead, *shown, *self._tails[at]], self._width)

    def raw(self, x: int) -> int | None:
        return self.axis.raw(x - self._lead)


def _times(look: Look) -> tuple[Line, Line]:
    """Return what is before the two ribbons: which batch, the numbers below each other."""
    then, now = str(look.batch.number), str(look.conversation.batch.number)
    digits = max(len(then), len(now))
    return (
        [Piece(f" then {then:>{digits}} ", "bright")],
        [Piece(f" now  {now:>{digits}} ", "muted")],
    )


# What the borders of the panes say: what each is, how much of it there is, and what to press.


def raw_about(look: Look) -> Line:
    """Return what the raw array is, and how long."""
    words = "everything ever added " if look.is_live else f"at batch {look.batch.number} "
    if isinstance(look, Frame):
        words = f"after record {look.place} "
    return [Piece(words, "muted"), Piece(f"{look.log_size:,}", "bright")]


def raw_foot(look: Look) -> Line:
    """Return how many messages are not sent."""
    return [Piece(f"{look.log_size - len(look.view):,} hidden", "muted")]


def visible_about(look: Look) -> Line:
    """Return what the projection is, and how long; while stepping what it is compared with."""
    words = "what the model is sent "
    if isinstance(look, Frame):
        return _against_record(look)
    if not look.is_live:
        words = f"in batch {look.batch.number} "
        if look.before is not None:
            before = look.state.batches[look.before.batch].number
            words = f"in batch {look.batch.number}, against batch {before} "
    return [Piece(words, "muted"), Piece(f"{len(look.view):,}", "bright")]


def _against_record(frame: Frame) -> Line:
    now = Piece(f"{len(frame.view):,}", "bright")
    if frame.before is None or frame.is_still:
        return [Piece(f"after record {frame.place} ", "muted"), now]
    words = f"against record {frame.place - 1} "
    return [Piece(words, "muted"), Piece(f"{len(frame.before.view):,} → ", "muted"), now]


def tokens_foot(frame: Frame) -> Line:
    """Return the tokens that are sent after a record, and those before it."""
    now = Piece(tokens(frame.total), "bright")
    word = Piece(" tokens", "muted")
    if frame.before is None or frame.is_still:
        return [now, word]
    before = tokens(frame.state.total(frame.before))
    return [Piece(f"{before} → ", "muted"), now, word]


def scroll_foot(first: int, last: int, whole: int) -> Line:
    """Return which lines of a list are in sight."""
    if not whole:
        return []
    if first == 0 and last >= whole - 1:
        return [Piece(f"all {whole:,}", "muted")]
    return [Piece(f"{first:,}–{last:,} of {whole:,}", "muted")]


def timeline_about(look: Look) -> Line:
    """Return how many batches there are, and how many were left."""
    batches = len(look.conversation.batches)
    abandoned = batches - len(look.conversation.path)
    words = plural(batches, "batch", "batches")
    return [Piece(f"{words}, {abandoned:,} abandoned" if abandoned else words, "muted")]


def timeline_foot(look: Look) -> Line:
    """Return what the signs mean where there is room, and the keys that lead through time."""
    keys = [("[ ]", "batch")] if len(look.conversation.batches) > 1 else []
    if not look.is_live:
        keys.append(("R", "roll back"))
    return [*legend(), *keys_foot(*keys)]


def nothing_there(look: Look) -> dict[str, str]:
    """Return what empty lists say: what there is to do about it."""
    if not len(look.state.log):
        first = "No messages yet. a appends the first."
        return {"raw": first, "visible": first}
    back = f", [ looks at batch {look.batch.number - 1}" if look.batch.number else ""
    return {"raw": "", "visible": f"Nothing is sent. u undoes{back}."}


def keys_foot(*keys: tuple[str, str]) -> Line:
    """Return a few keys with what they do."""
    line: Line = []
    for key, words in keys:
        line += [
            Piece("  " if line else "", "muted"),
            Piece(key, "key"),
            Piece(f" {words}", "muted"),
        ]
    return line


def legend() -> Line:
    """Return what the signs of batches mean; it goes as a whole where there is no room."""
    return [Piece("◉ now  ○ on the path  ◌ abandoned  ! over limit   ", "faint")]


def message_about(look: Look, raw: int) -> Line:
    """Return where the message under the cursor is."""
    position = look.view.position(raw) if raw < look.log_size else None
    place = "hidden" if position is None else f"position {position:,}"
    return [Piece(f"raw {raw:,}  ", "muted"), Piece(place, "muted")]
