"""The batches of a thread with a block for each call, and its calls as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import NamedTuple

from rich.cells import cell_len

from ctxtui.calls.drawing import break_words, came_from, listed
from ctxtui.calls.models.call import (
    MOSTLY,
    Explained,
    is_managed,
    noted_cache,
    removed_of,
    took,
)
from ctxtui.calls.models.seen import SeenLook
from ctxtui.calls.models.sheet import waited_text
from ctxtui.calls.seen import differs
from ctxtui.calls.words import SEEN_ALL, SEEN_UNKNOWN, call_tick, call_words, seen_words
from ctxtui.core import Batch
from ctxtui.inspector.drawing.batch import INK
from ctxtui.inspector.drawing.head import ENDED, LIVE, READ_ONLY
from ctxtui.inspector.models.look import Look, is_on_path
from ctxtui.text.icons import ERROR, PASSED, WARNING
from ctxtui.text.line_source import LineSource, NumberedSource, RowBlock
from ctxtui.text.lines import (
    Line,
    Piece,
    cropped,
    filled_row,
    fit,
    fit_pieces,
    hanging,
    head,
    joined,
    line_width,
    longest,
    paragraph,
    spread,
    wrap,
)
from ctxtui.text.message import GLYPHS, WORDS
from ctxtui.text.numbers import ago, time_of_day, to_the_second, tokens
from ctxtui.text.plots import FULL, bar
from ctxtui.text.plurals import percent, plural, removed_words
from ctxtui.text.ribbon import ABSENT, Ribbon, RibbonAxis
from ctxtui.text.symbols import printable
from ctxtui.watch.models import (
    CallLook,
    Node,
    PendingCall,
    PendingNode,
    RunHead,
    SideNode,
    ThreadCalls,
    ThreadNode,
    Totals,
    WatchedCall,
    WatchedSheet,
    WatchedThread,
)

# Cache hits of calls: each a block, tall where it was mostly cached, and as a plot.

CACHED, AGAIN = "▇", "▁"
EIGHTHS = "▁▂▃▄▅▆▇█"


def call_blocks(calls: Sequence[WatchedCall], cells: int) -> Line:
    """Return a block for each of the newest calls, as many as there is room for.

    Where all fit so, there is room between them.
    """
    blocks = [
        call_tick(call, CACHED, AGAIN) for call in calls[max(0, len(calls) - max(0, cells)) :]
    ]
    if 2 * len(blocks) <= cells:
        return [piece for block in blocks for piece in (block, Piece(" "))]
    return joined(blocks)


def hit_plot(
    calls: Sequence[WatchedCall], width: int, rows: int, looked_at: int | None = None
) -> list[Line]:
    """Return the cache hit of some calls as columns, the newest last, and their numbers below.

    Those are shown that fit, around the one that is selected; unmeasured calls are blank.
    """
    room = max(0, width - 6)
    stop = len(calls) if looked_at is None else min(len(calls), max(looked_at + room // 3, room))
    shown = calls[max(0, stop - room) : stop]
    if rows < 1 or not any(one.share is not None for one in shown):
        return []
    wide = max(1, min(3, room // len(shown)))
    lines = []
    for row in reversed(range(rows)):
        cells = [cell for one in shown for cell in repeat(_cell(one, row, rows), wide)]
        label = {rows - 1: " 100 %", 0: "   0 %"}[row] if row in (rows - 1, 0) else ""
        pad = " " * (room - len(cells))
        lines.append([*joined(cells), Piece(pad), Piece(label, "faint")])
    return [*lines, _axis(shown, wide, room, looked_at)]


def _axis(shown: Sequence[WatchedCall], wide: int, room: int, looked_at: int | None) -> Line:
    """Return the numbers of the first and the last call, and of the one that is selected."""
    first, last = str(shown[0].number), str(shown[-1].number)
    size = wide * len(shown)
    if len(shown) == 1 or size < len(first) + len(last) + 1:
        return [Piece(last, "faint"), Piece(" " * max(0, room - len(last)))]
    line = [Piece(first, "faint"), Piece(" " * (size - len(first) - len(last)))]
    if looked_at is not None and shown[0].number < looked_at < shown[-1].number:
        at = wide * (looked_at - shown[0].number) + (wide - 1) // 2
        label = f"┴{looked_at}"
        if len(first) < at and at + len(label) + len(last) < size:
            between = size - at - len(label) - len(last)
            line = [Piece(first, "faint"), Piece(" " * (at - len(first))), Piece(label, "key")]
            line.append(Piece(" " * between))
    return [*line, Piece(last, "faint"), Piece(" " * (room - size))]


def _cell(one: WatchedCall, row: int, rows: int) -> Piece:
    """Return a cell of a column, rows counted from below; every call has at least a line there."""
    share = one.share
    if share is None:
        return Piece(" ")
    eighths = round(len(EIGHTHS) * max(0.0, min(1.0, share * rows - row)))
    if row == 0:
        eighths = max(1, eighths)
    sign = EIGHTHS[eighths - 1] if eighths else " "
    return Piece(sign, "error" if one.is_broken else "ok" if share >= MOSTLY else "muted")


def again_words(story: ThreadCalls) -> str:
    """Return how many calls sent old text again uncached; nothing where none is measured."""
    if not story.measured:
        return ""
    text = plural(story.measured, "call")
    again = f"{story.again:,}" if story.again else "None"
    return f"{again} of {text} re-sent most of their prompt uncached."


NAME_CELLS = 10
NUMBER_CELLS = 8
FIGURES = f"{'vis':>6}{'tokens':>8}{'cached':>8}{'lint':>6} "
LEAST_ABOUT = 14


def batch_head(width: int) -> Line:
    """Return the names of the columns of batches."""
    lead = f"{'no.':>{NUMBER_CELLS - 1}} {fit('operation', NAME_CELLS)}"
    about = _about_cells(width)
    room = max(0, width - len(lead) - about - len(FIGURES))
    return [Piece(f"{lead}{'':{about}}{fit('calls', room)}{FIGURES}", "faint")]


def _about_cells(width: int) -> int:
    free = width - NUMBER_CELLS - NAME_CELLS - len(FIGURES)
    return max(0, min(36, free // 2)) if free // 2 >= LEAST_ABOUT else 0


def batch_row(
    look: Look,
    batch: Batch,
    calls: Sequence[WatchedCall],
    width: int,
    *,
    is_looked_at: bool,
    is_on_path: bool,
) -> Line:
    """Return a batch: its operation, a block for each of its newest calls, and its figures."""
    state = look.conversation.moment
    is_now = batch.id == state.batch.id
    sign = "●" if is_looked_at else "◉" if is_now else "○" if is_on_path else "◌"
    faint = None if is_on_path else "faint"
    name = "START" if batch.operation is None else batch.operation.title
    said = "" if batch.operation is None else batch.description.removeprefix(name).strip()
    newest = look.conversation.newest(batch)
    about = _about_cells(width)
    room = max(0, width - NUMBER_CELLS - NAME_CELLS - about - len(FIGURES))
    lead = "key" if is_looked_at or is_now else "text"
    return [
        Piece(f" {sign} ", faint or lead),
        Piece(f"{batch.number:>{NUMBER_CELLS - 4}} ", faint or "bright"),
        Piece(fit(name, NAME_CELLS - 1) + " ", faint or ("bright" if is_looked_at else "text")),
        *_about(said, _certainty(batch, calls), about),
        *fit_pieces(call_blocks(calls, max(0, room - 1)), room),
        Piece(f"{len(newest.view):>6,}", faint or "text"),
        Piece(f"{tokens(state.total(newest)):>8}", faint or "text"),
        _cached(calls),
        _lint(calls),
        Piece(" "),
    ]


def _certainty(batch: Batch, calls: Sequence[WatchedCall]) -> str:
    """Return how sure it is that an operation opened a batch; or nothing."""
    name = None if batch.operation is None else batch.operation.title
    explained = calls[0].explained if calls else ()
    return next((printable(one.certainty, 10) for one in explained if one.operation == name), "")


def _about(said: str, sure: str, cells: int) -> Line:
    end = [Piece(f" {sure} ", INK.get(sure, "faint"))] if sure and cells else []
    room = max(0, cells - line_width(end))
    return [Piece(fit(said[:200], room), "muted"), *end]


def _cached(calls: Sequence[WatchedCall]) -> Piece:
    usages = [one.call.usage for one in calls if one.share is not None]
    sent = sum(usage.input or 0 for usage in usages if usage is not None)
    served = sum(usage.cached or 0 for usage in usages if usage is not None)
    if not sent:
        return Piece(f"{'':>8}")
    kind = "error" if any(one.is_broken for one in calls) else "muted"
    return Piece(f"{percent(served, sent):>8}", "ok" if served >= MOSTLY * sent else kind)


def _lint(calls: Sequence[WatchedCall]) -> Piece:
    bad = sum(bool(one.errors) for one in calls)
    if not calls:
        return Piece(f"{'':>6}")
    if not bad:
        return Piece(f"{PASSED.glyph:>6}", PASSED.kind)
    return Piece(f"{ERROR.glyph + tokens(bad):>6}", ERROR.kind)


def call_row(recorded: WatchedCall, width: int, *, is_looked_at: bool) -> Line:
    """Return a call as a sentence: when, by which operation, why, and what it cost."""
    call, kind = recorded.call, "bright" if is_looked_at else "text"
    left: Line = [
        Piece(f"{recorded.number:>5}  ", "bright"),
        Piece(f"{time_of_day(call.time)}  ", "faint"),
    ]
    right: Line = []
    if is_looked_at and width >= 100:  # noqa: PLR2004 - where there is room to spare
        right.append(Piece("  selected", "key"))
    if recorded.errors:
        right.append(Piece(f"  {ERROR.text(plural(recorded.errors, 'error'))}", ERROR.kind))
    if call.outcome != "complete":
        right.append(Piece(f"  {call.outcome}", "warn"))
    if call.usage is not None and call.usage.input is not None:
        right.append(Piece(f"{tokens(call.usage.input):>7} in", "muted"))
    if recorded.share is not None:
        right.append(Piece(f"{percent(recorded.share, 1):>7}", _share_kind(recorded)))
    right.append(Piece(" "))
    room = max(0, width - line_width(left) - line_width(right))
    return [*left, *fit_pieces(_sentence(recorded, kind), room), *right]


def _share_kind(recorded: WatchedCall) -> str:
    """Return the colour of what was cached: red says that the call broke the cache."""
    if recorded.is_broken:
        return "error"
    return "ok" if (recorded.share or 0) >= MOSTLY else "muted"


def _sentence(recorded: WatchedCall, kind: str) -> Line:
    """Return what explains a call; the same request again has nothing to explain."""
    line: Line = []
    for one in recorded.explained:
        line += [Piece("; " if line else "", kind), Piece(one.operation[:20], kind)]
        line.append(Piece(f" {one.reason[:200]}", kind if kind == "bright" else "muted"))
        if one.certainty == "likely":
            line.append(Piece(" likely", INK["likely"]))
    if recorded.explained:
        return line
    return [Piece(recorded.done[:200], kind)]


# One call explained: the operation and how sure that is, then cache, tools, lint and time.

EXPLAINED_LEAD = 9
"""Cells of the word in front of each fact."""
MOST_CHARACTERS, MOST_FINDINGS = 300, 3
EXPLAINED_SECOND = 1_000


def explained_lines(sheet: WatchedSheet, problem: str | None, width: int) -> list[Line]:
    """Return what is known of a call, the operation that explains it first.

    A ``problem`` is why nothing more is read of the session; it is the first line.
    """
    recorded = sheet.one
    lines: list[Line] = uncalled_lines(problem, width) if problem else []
    for one in recorded.explained or (Explained(recorded.done, "", ""),):
        lines += _operation(one, sheet.given.get(one.operation, ""), width)
    lines += [[], *_cache(sheet, width), *_tools(sheet, width)]
    for finding, cause in sheet.errors[:MOST_FINDINGS]:
        where = "" if finding.position is None else f"position {finding.position:,}: "
        said = f"{where}{finding.message} {cause}"
        lines += _fact(ERROR.text(finding.rule), "error", said, width)
    more = recorded.errors - min(MOST_FINDINGS, len(sheet.errors))
    if more > 0:
        lines += _fact(ERROR.text("lint"), "error", f"{plural(more, 'error')} more", width)
    for said in sheet.evidence.noticed:
        lines += _fact(WARNING.text("noted"), "warn", said, width)
    if is_managed(recorded.path.conversation) and differs(recorded.seen):
        seen = recorded.seen
        words = seen_words(seen)
        about = f"{seen.why} ({seen.certainty})"
        text = about if words in (SEEN_ALL, SEEN_UNKNOWN) else f"{words}: {about}"
        lines += _fact("seen", "warn" if seen.certainty != "proven" else "bright", text, width)
    if removed := removed_of(recorded.call):
        lines += _fact("secrets", "muted", removed_words(removed), width)
    return cropped([*lines, *_time(sheet, width)], width)


def uncalled_lines(problem: str | None, width: int) -> list[Line]:
    """Return that no call is recorded, or what is wrong with the session."""
    said = problem or "No call is recorded in this session; its visible messages are below."
    return paragraph(said[:MOST_CHARACTERS], width, "error" if problem else "muted")


def _operation(one: Explained, given: str, width: int) -> list[Line]:
    name, sure = printable(one.operation, 200), printable(one.certainty, 20)
    rows = paragraph(one.reason[:MOST_CHARACTERS], width) if one.reason else []
    end = [Piece(f"  {sure}", INK.get(one.certainty, "muted"))]
    about = fit(f"   {given[:200]}", max(0, width - line_width(end) - cell_len(name)))
    head = spread([Piece(name, "bright"), Piece(about.rstrip(), "muted")], end, width)
    return [head, *rows]


def _fact(word: str, kind: str, said: str, width: int) -> list[Line]:
    lead = [Piece(fit(word, EXPLAINED_LEAD), kind)]
    return hanging(lead, said.strip()[:MOST_CHARACTERS], width)


def _cache(sheet: WatchedSheet, width: int) -> list[Line]:
    cache, cause = sheet.cache, sheet.one.cause
    lines: list[Line] = []
    if cause is not None:
        lines += _fact("░ cache", "error", cause, width)
        if cache.broke.kind in ("written", "message", "end"):
            lines += _fact("", "error", break_words(sheet)[1], width)
    elif cache.is_strict:
        is_first = sheet.one.before is None
        said = "the first call: nothing was sent before" if is_first else "nothing broke it"
        if cache.broke.kind == "provider":
            lines += _fact("░ cache", "error", break_words(sheet)[1], width)
        else:
            lines += _fact("cache", "muted", said, width)
    if cache.is_strict:
        lines.append(_served("computed", cache.kept or 0, cache.total, width))
    if cache.cached is not None and cache.input:
        lines.append(_served("measured", cache.cached, cache.input, width))
    if cache.source is not None:
        lines += _fact("", "muted", came_from(cache.source), width)
    return lines


def _served(word: str, served: int, total: int, width: int) -> Line:
    """Return how much a cache served as a bar: the rest of the prompt was paid for again."""
    kind = "ok" if served >= MOSTLY * total else "error"
    end: Line = [
        Piece(f" {served:,}", "bright"),
        Piece(f" of {total:,} ", "muted"),
        Piece(f"{percent(served, total):>5}", kind),
        Piece(f" {word}", "faint"),
    ]
    room = max(0, min(30, width - EXPLAINED_LEAD - line_width(end)))
    full = 0 if not total else round(room * min(served, total) / total)
    return [
        Piece(" " * EXPLAINED_LEAD),
        Piece(FULL * full, "ok"),
        Piece(FULL * (room - full), "error" if room > full else "track"),
        *end,
    ]


def _tools(sheet: WatchedSheet, width: int) -> list[Line]:
    lines: list[Line] = []
    table, noted = sheet.tools, noted_cache(sheet.one.call)
    if table.breaks is not None:
        moved = ((table.names("vanished"), "vanished"), (table.names("new"), "added"))
        said = [f"{listed(names)} {word}" for names, word in moved if names]
        text = ", ".join([f"{table.before:,} → {table.now:,}", *said])
        lines += _fact(WARNING.text("tools"), "warn", text, width)
    if noted is not None and noted.changed:
        lines += _fact(WARNING.text("asked"), "warn", f"{listed(noted.changed)} changed", width)
    return lines


def _took(sheet: WatchedSheet, width: int) -> list[Line]:
    """Return how long the answer took to begin, next to that of the call before, and in all."""
    times = took(sheet.one.call)
    before = None if sheet.one.before is None else took(sheet.one.before)
    if times is None:
        return []
    first = waited_text(times.first)
    if before is not None:
        first = f"{waited_text(before.first)} → {first}"
    said = f"{first} to the first byte, {waited_text(times.whole)} in all"
    return _fact("took", "muted", said, width)


def _time(sheet: WatchedSheet, width: int) -> list[Line]:
    call, apart = sheet.one.call, sheet.one.waited
    said = [to_the_second(call.time)]
    if apart is not None and apart >= EXPLAINED_SECOND:
        said.append(f"{apart / EXPLAINED_SECOND:,.0f} s after call {sheet.one.number - 1:,}")
    lines = [*_took(sheet, width), *_fact("time", "muted", ", ".join(said), width)]
    counted = call_words(call)
    return [*lines, *(_fact("counted", "muted", counted, width) if counted else [])]


# The threads of a run: a heading, two rows for each thread, and one for what was asked aside.

SIGNS = {"running": ("●", "ok"), "waiting": ("◐", "warn"), "done": ("○", "muted")}
"""How it is with a thread, as a sign and its colour."""
STEP = 3
"""Cells by which an agent is indented below its caller."""
ROWS_LEAD = 3
HIT_CELLS = 5
MODEL_CELLS = 18
MINUTE, ROWS_SECOND = 60_000, 1_000


def since(then: int, now: int) -> str:
    """Return how long ago something was, to the second while that is not long."""
    apart = max(0, now - then)
    if apart < ROWS_SECOND:
        return "now"
    return f"{apart // ROWS_SECOND} s" if apart < MINUTE else ago(then, now)


def head_row(width: int) -> Line:
    """Return the names of the columns."""
    return spread([Piece(" thread", "faint")], [Piece("tokens  cache hit  calls ", "faint")], width)


def run_row(head: RunHead, width: int) -> Line:
    """Return the heading of a run."""
    when = "" if head.began is None else f"since {time_of_day(head.began)}, "
    about = [Piece(f" {when}{plural(head.threads, 'thread')} ", "faint")]
    name = Piece(fit(head.name[:200], max(0, width - line_width(about) - 2)), "bright")
    return spread([Piece(" "), name], about, width)


def first_row(node: ThreadNode, now: int, width: int) -> Line:
    """Return who it is, its model, and when it was changed."""
    thread, state = node.thread, node.state(now)
    sign, kind = SIGNS[state]
    age = since(thread.figures.changed, now)
    if thread.pending:
        age = f"  {FLYING} {since(thread.pending[0].time, now)}"
    model = printable(thread.story.model, MODEL_CELLS)
    end: Line = [
        Piece(f"  {model}" if model else "", "muted"),
        Piece(f"{age:>8} ", "faint" if state == "done" else "text"),
    ]
    lead: Line = [*_branch(node.depth, is_last=node.is_last), Piece(f"{sign} ", kind)]
    room = max(0, width - line_width(lead) - line_width(end))
    name = Piece(fit(thread.title[:200], room), "muted" if state == "done" else "bright")
    return [*lead, name, *end]


def second_row(node: ThreadNode, width: int) -> Line:
    """Return its log as a ribbon, its tokens, the cache hit of the last calls, and all calls."""
    look, sums = node.thread.look, node.thread.figures
    lead = _trunk(node.depth, is_last=node.is_last)
    room = max(0, width - line_width(lead) - 25)
    ribbon = Ribbon(look.state.log, look.figures, look.view).line(RibbonAxis(look.log_size, room))
    calls = Piece(f"{tokens(sums.calls):>4} ") if sums.calls else Piece(f"{ABSENT:>4} ", "faint")
    figures = [Piece(f"  {tokens(sums.tokens):>5} ", "bright"), *_hit(sums.hit), calls]
    return [*lead, *fit_pieces(ribbon, room), *figures]


def side_row(node: SideNode, now: int, width: int) -> Line:
    """Return how many side calls a conversation has, and of which kinds."""
    age = Piece(f"{since(node.thread.figures.changed, now):>8} ", "faint")
    many = Piece(plural(node.calls, "side call"), "muted")
    lead = [*_branch(node.depth, is_last=True), Piece("┄ ", "faint"), many]
    room = max(0, width - line_width(lead) - line_width([age]))
    return fit_pieces([*lead, Piece(fit(f"  {node.about}", room), "faint"), age], width)


def _branch(depth: int, *, is_last: bool) -> Line:
    if not depth:
        return [Piece(" ")]
    return [Piece(" " * (1 + STEP * (depth - 1)) + ("└─ " if is_last else "├─ "), "track")]


def _trunk(depth: int, *, is_last: bool) -> Line:
    """Return what is below a branch: the trunk goes on, unless that was its end."""
    if not depth:
        return [Piece(" " * ROWS_LEAD)]
    sign = " " if is_last else "│"
    return [Piece(" " * (1 + STEP * (depth - 1)) + f"{sign}    ", "track")]


def _hit(hit: tuple[int, int] | None) -> Line:
    if hit is None or not hit[1]:
        return [Piece(f"{ABSENT:>{HIT_CELLS + 7}}", "faint")]
    served, sent = hit
    kind = "ok" if served >= MOSTLY * sent else "error"
    return [
        Piece(f"{bar(served, sent, HIT_CELLS):<{HIT_CELLS}}", kind),
        Piece(f"{percent(served, sent):>7}", kind),
    ]


# Unfinished calls: as lines of a list, next to the calls of a thread, and one at length.

FLYING = "unfinished"
LATER = "Its thread is listed, and the call explained, when the response is complete."


def pending_row(pending: PendingCall, now: int, width: int) -> Line:
    """Return a call of a conversation that has no session yet: its model, and since when."""
    sign, kind = SIGNS["running"]
    model = printable(pending.model, MODEL_CELLS)
    lead = [Piece(f" {sign} ", kind), Piece("first call ", "bright"), Piece(FLYING, "text")]
    end = [Piece(f"  {model}", "muted"), Piece(f"{since(pending.time, now):>8} ", "text")]
    return fit_pieces(spread(lead, end, width), width)


def asked_row(pending: PendingCall, width: int) -> Line:
    """Return what is to be answered."""
    count = f"  {plural(pending.messages, 'message')} " if pending.messages else " "
    lead: Line = [Piece(" " * ROWS_LEAD), *_role(pending.role)]
    room = max(0, width - line_width(lead) - len(count))
    return [*lead, Piece(fit(pending.text[:200], room), "muted"), Piece(count, "faint")]


def _role(role: str) -> Line:
    return [Piece(f"{GLYPHS.get(role, '·')} ", role)] if role else []


def flying_words(pending: Sequence[PendingCall], now: int) -> str:
    """Return how many calls of a thread are unfinished, and since when the oldest is."""
    if not pending:
        return ""
    return f"{len(pending):,} {FLYING} for {_age(pending[0], now)}"


def pending_lines(pending: PendingCall, now: int, width: int) -> list[Line]:
    """Return all that is known of an unfinished call."""
    words = [
        (f"asked at {time_of_day(pending.time)}, {FLYING} for {_age(pending, now)}", "bright"),
        (f"{printable(pending.model, 200)}  {plural(pending.messages, 'message')}".strip(), "text"),
        (f"{WORDS.get(pending.role, pending.role)}: {printable(pending.text, 300)}", "text"),
        (LATER, "muted"),
    ]
    return [line for said, kind in words for line in paragraph(said, width, kind)]


def _age(pending: PendingCall, now: int) -> str:
    is_new = now - pending.time < ROWS_SECOND
    return "less than a second" if is_new else since(pending.time, now)


# What is above and next to the threads: all of them in figures, and which call is selected.

HEADS_NARROWEST = 10


class Where(NamedTuple):
    """Which call of which thread is selected, of how many, and how many were added meanwhile."""

    title: str
    call: int
    calls: int
    is_past: bool
    news: int
    merging: str | None = None
    """The thread that is about to be merged into the one under the cursor."""
    is_busy: bool = False
    """Whether calls are being recorded again."""


def watch_head(
    folder: str | None, written: int, flying: int, width: int, *, is_seen: bool = False
) -> Line:
    """Return the head line: whether anybody writes, and where the sessions are.

    Without a folder, the library is read-only. ``is_seen`` is that calls are shown as seen.
    """
    left: Line = [Piece(" Library › ", "muted"), Piece("Watch", "bright")]
    left += [Piece("  "), Piece(" as seen ", "chip")] if is_seen else []
    if written:
        left += [Piece(f"  {LIVE} live  ", "ok"), Piece(f"{plural(written, 'session')} written")]
    elif flying:
        left += [Piece(f"  {LIVE} live  ", "ok"), Piece("no session is written yet")]
    else:
        left.append(Piece(f"  {ENDED} no session is written right now", "muted"))
    where = READ_ONLY if folder is None else Piece(f"{folder} ", "muted")
    return spread(left, [where], width)


def totals_line(totals: Totals, width: int) -> Line:
    """Return how many threads and requests there are, and how many of these went wrong."""
    return longest(_totals(totals), width)


def _totals(totals: Totals) -> Iterator[tuple[Line, Line]]:
    counts: Line = []
    for count, noun in ((totals.conversations, "conversation"), (totals.threads, "thread")):
        counts += _counted(count, noun)
    flying = [Piece(f" {totals.flying:,}", "bright"), Piece(f" {FLYING}  ", "muted")]
    counts += [*_counted(totals.requests, "request"), *(flying if totals.flying else [])]
    broken = [WARNING.piece(f"{totals.broken:,}"), Piece(" broke the cache   ")]
    bad = [ERROR.piece(f"{totals.refused:,}"), Piece(" with a lint error   ")]
    fine = [PASSED.piece("no lint error")] if totals.requests else []
    wrong = [*(broken if totals.broken else []), *(bad if totals.refused else fine)]
    yield [*counts, *wrong], []
    yield [*_counted(totals.requests, "request"), *wrong], []


def _counted(count: int, noun: str) -> Line:
    number, _, word = plural(count, noun).partition(" ")
    return [Piece(f" {number}", "bright"), Piece(f" {word}  ", "muted")]


def bar_line(where: Where, width: int) -> Line:
    """Return which call is selected; for an earlier one also how many are new, and the way back."""
    name = printable(where.title, 60)
    if where.is_busy:
        return spread([Piece(" … RECORDING THE CALLS AGAIN", "notice")], [], width)
    if where.merging is not None:
        return longest(_merging(printable(where.merging, 60), name), width)
    if where.is_past:
        return longest(_past(where, name), width)
    said = f"call {where.calls:,}, the newest" if where.calls else "no call is recorded"
    end = [Piece(f"  {said} ", "muted")]
    room = max(0, width - line_width(end) - 2)
    return [Piece(" "), Piece(fit(name, room), "bright"), Piece(" "), *end]


def _merging(thread: str, into: str) -> Iterator[tuple[Line, Line]]:
    keys = [Piece(" enter", "notice"), Piece(" merge ", "note"), Piece(" esc", "notice")]
    for size in (60, 40, 24, 12):
        yield _into(thread, into, size), [*keys, Piece(" leave it ", "note")]
    yield _into(thread, into, 12), []


def _into(thread: str, into: str, size: int) -> Line:
    gone, target = (Piece(fit(name, size).rstrip(), "note") for name in (thread, into))
    return [Piece(" MERGE ", "notice"), gone, Piece(" INTO ", "notice"), target]


def _past(where: Where, name: str) -> Iterator[tuple[Line, Line]]:
    place = Piece(f" ● VIEWING CALL {where.call:,} OF {where.calls:,}", "notice")
    news = [Piece(f" {where.news:,} new ", "notice")] if where.news else []
    follow = [Piece(" f", "notice"), Piece(" follow ", "note")]
    back = [Piece(" esc", "notice"), Piece(f" to {where.calls:,} ", "note")]
    yield [place, Piece(f"  {name}, read-only", "note")], [*news, *follow, *back]
    for size in (40, 24, 12):
        yield [place, Piece(f"  {fit(name, size).rstrip()}", "note")], [*news, *follow, *back]
    yield [place], [*news, *follow, *back]
    yield [place], [*news, *back]
    yield [Piece(f" ● CALL {where.call:,} OF {where.calls:,}", "notice")], news


def sent_line(look: CallLook | SeenLook, width: int) -> Line:
    """Return all that the thread ever held as a ribbon, tall where the call sent it."""
    word = "seen" if look.is_seen else "sent"
    lead: Line = [Piece(f" {word} {len(look.view):,} ", "bright")]
    size = len(look.conversation.log)
    end: Line = [Piece(f" of {size:,} ", "faint")]
    axis = RibbonAxis(size, max(0, width - line_width(lead) - line_width(end)))
    went = None if look.change is None else look.change.hidden
    log = look.conversation.moment.log
    ribbon = Ribbon(log, look.figures, look.view, size=look.log_size, went=went)
    return [*lead, *ribbon.line(axis), *end]


def plot_lines(story: ThreadCalls, title: str, looked_at: int | None, width: int) -> list[Line]:
    """Return the cache hit of the newest calls as a plot, and a sentence about it."""
    plot = hit_plot(story.calls, width, 4, looked_at)
    if not plot:
        said = "No provider has said yet what a cache served."
        return paragraph(said, width, "faint")
    about = [Piece(title[:24], "muted")]
    return [
        head("Cache hit of the last calls", about, width),
        *plot,
        *paragraph(again_words(story), width, "muted"),
    ]


def waiting_lines(command: str, width: int) -> list[Line]:
    """Return what to run, while no session is being written."""
    said = "No session of this library is being written. Run your agent through ctxtui:"
    then = (
        "Each call it makes is listed here and followed. So is every session that another program "
        "writes to this library."
    )
    rows = wrap(command, max(1, width - 2))
    return [
        *paragraph(said, width, "text"),
        [],
        *(filled_row([Piece(f"  {row}", "bright")], "opened", width) for row in rows),
        [],
        [Piece("y", "key"), Piece(" copies the command", "muted")],
        [],
        *paragraph(then, width, "muted"),
    ]


# The threads that are watched: a heading for each run, two rows for a thread, one for side calls.


class ThreadSource(LineSource):
    """The lines of a tree of threads, as they were at a moment."""

    def __init__(self, nodes: Sequence[Node], now: int) -> None:
        self.nodes = nodes
        self._now = now
        self._places = {node.key: at for at, node in enumerate(nodes)}

    def renew(self, nodes: Sequence[Node], now: int) -> bool:
        """Take over what is new of the same lines; False where these are others."""
        if [node.key for node in nodes] != list(self._places):
            return False
        self.nodes, self._now = nodes, now
        return True

    def __len__(self) -> int:
        return len(self.nodes)

    def key(self, at: int) -> int:
        return self.nodes[at].key

    def find(self, key: int) -> int | None:
        return self._places.get(key)

    def stop(self, at: int, way: int) -> int:
        """Return the nearest line that is no heading, on the way if there is one."""
        at = super().stop(at, way)
        for step in (way, -way):
            place = at
            while 0 <= place < len(self.nodes):
                if not isinstance(self.nodes[place], RunHead):
                    return place
                place += step
        return at

    def thread(self, at: int) -> WatchedThread | None:
        node = self.nodes[at] if at < len(self.nodes) else None
        return node.thread if isinstance(node, ThreadNode | SideNode) else None

    def header(self, width: int) -> Line | None:
        return head_row(width)

    def blocks(self, width: int) -> Sequence[RowBlock]:
        """Return that a thread takes three rows, anything else two, the last of them blank."""
        return [
            RowBlock(1, 3 if isinstance(node, ThreadNode | PendingNode) else 2)
            for node in self.nodes
        ]

    def line(self, at: int, width: int) -> Line:
        node = self.nodes[at]
        if isinstance(node, RunHead):
            return run_row(node, width)
        if isinstance(node, PendingNode):
            return pending_row(node.pending, self._now, width)
        if isinstance(node, SideNode):
            return side_row(node, self._now, width)
        return first_row(node, self._now, width)

    def below(self, at: int, width: int) -> list[Line]:
        node = self.nodes[at]
        if isinstance(node, PendingNode):
            return [asked_row(node.pending, width)]
        return [second_row(node, width)] if isinstance(node, ThreadNode) else []


# The calls of a thread as sentences, and its batches with a block for each call.


class CallSource(LineSource):
    """A line for every call of a thread, the newest last; its key is its number from 1."""

    def __init__(self, story: ThreadCalls, looked_at: int | None) -> None:
        self._calls = story.calls
        self._size = len(story.calls)
        self._looked_at = looked_at

    def __len__(self) -> int:
        return self._size

    def key(self, at: int) -> int:
        return at + 1

    def find(self, key: int) -> int | None:
        return key - 1 if 1 <= key <= self._size else None

    def line(self, at: int, width: int) -> Line:
        recorded = self._calls[at]
        return call_row(recorded, width, is_looked_at=recorded.number == self._looked_at)


class BatchSource(NumberedSource):
    """A line for every batch of a thread in the order they were made; its key is the batch's id."""

    def __init__(self, story: ThreadCalls, look: Look, looked_at: int | None) -> None:
        self._story, self._look = story, look
        self._size = len(look.conversation.batches)
        self._looked_at = looked_at

    def __len__(self) -> int:
        return self._size

    def header(self, width: int) -> Line | None:
        return batch_head(width)

    def line(self, at: int, width: int) -> Line:
        batch = self._look.conversation.batches[at]
        return batch_row(
            self._look,
            batch,
            self._story.by_batch.get(batch.id, ()),
            width,
            is_looked_at=batch.id == self._looked_at,
            is_on_path=is_on_path(self._look.conversation, batch),
        )
