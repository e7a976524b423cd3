"""One call explained: the operation and how sure that is, then cache, tools, lint and time."""

from __future__ import annotations

from rich.cells import cell_len

from ctxtui.models.call_figures import MOSTLY
from ctxtui.models.call_page import CallPage, Served
from ctxtui.models.call_request import waited_text
from ctxtui.models.call_story import Explained
from ctxtui.render.batch.calls import INK
from ctxtui.render.call.words import came_from
from ctxtui.render.calls import USAGE_WORDS
from ctxtui.render.text.bars import FULL
from ctxtui.render.text.choosing import size_of, spread
from ctxtui.render.text.lines import Line, Piece, fit
from ctxtui.render.text.sections import cropped
from ctxtui.render.text.severity import ERROR, WARNING
from ctxtui.render.text.times import to_the_second
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible
from ctxtui.words import percent, plural, removed_words

LEAD = 9
"""Cells of the word in front of each fact."""
MOST_CHARACTERS, MOST_NAMES, MOST_FINDINGS = 300, 4, 3
NARROWEST = 12
BAR_CELLS = 30
SECOND = 1_000


def explained_lines(page: CallPage, problem: str | None, width: int) -> list[Line]:
    """Return what is known of a call, the operation that explains it first.

    A ``problem`` is why nothing more is read of the session; it stands above all.
    """
    lines: list[Line] = uncalled_lines(problem, width) if problem else []
    for one in page.told.story.explained or (Explained(page.told.done, "", ""),):
        lines += _operation(one, page.given.get(one.operation, ""), width)
    lines += [[], *_cache(page, width), *_tools(page, width)]
    for finding, cause in page.errors[:MOST_FINDINGS]:
        where = "" if finding.position is None else f"position {finding.position:,}: "
        said = f"{where}{finding.message} {cause}"
        lines += _fact(ERROR.text(finding.rule), "error", said, width)
    more = page.told.errors - min(MOST_FINDINGS, len(page.errors))
    if more > 0:
        lines += _fact(ERROR.text("lint"), "error", f"{plural(more, 'error')} more", width)
    for said in page.noticed:
        lines += _fact(WARNING.text("seen"), "warn", said, width)
    if page.removed:
        lines += _fact("secrets", "muted", removed_words(page.removed), width)
    return cropped([*lines, *_time(page, width)], width)


def uncalled_lines(problem: str | None, width: int) -> list[Line]:
    """Return that no call is recorded, or what is wrong with the session."""
    said = problem or "No call is recorded in this session: what is visible by now stands below."
    rows = wrap(visible(said, MOST_CHARACTERS), max(NARROWEST, width))
    return [[Piece(row, "error" if problem else "muted")] for row in rows]


def _operation(one: Explained, given: str, width: int) -> list[Line]:
    name, sure = visible(one.operation, 200), visible(one.certainty, 20)
    reason = wrap(visible(one.reason, MOST_CHARACTERS), max(NARROWEST, width))
    rows: list[Line] = [[Piece(row, "text")] for row in reason if row]
    end = [Piece(f"  {sure}", INK.get(one.certainty, "muted"))]
    about = fit(f"   {visible(given, 200)}", max(0, width - size_of(end) - cell_len(name)))
    head = spread([Piece(name, "bright"), Piece(about.rstrip(), "muted")], end, width)
    return [head, *rows]


def _fact(word: str, kind: str, said: str, width: int) -> list[Line]:
    """Return a fact behind its word, as many rows as it takes."""
    rows = wrap(visible(said.strip(), MOST_CHARACTERS), max(NARROWEST, width - LEAD))
    return [
        [Piece(fit(word if not at else "", LEAD), kind), Piece(row, "text")]
        for at, row in enumerate(rows)
    ]


def _cache(page: CallPage, width: int) -> list[Line]:
    cause = page.told.story.cause
    lines: list[Line] = []
    if cause is not None:
        lines += _fact("░ cache", "error", cause, width)
        if page.breaks is not None:
            was, now = page.breaks.was, page.breaks.now
            there = "nothing does now" if now is None else f"raw {now:,} does now"
            said = f"at position {page.breaks.position:,} raw {was:,} stood, {there}"
            lines += _fact("", "error", said, width)
    elif page.computed is not None:
        is_first = page.told.before is None
        said = "the first call: nothing was sent before" if is_first else "nothing broke it"
        lines += _fact("cache", "muted", said, width)
    for word, served in (("computed", page.computed), ("measured", page.measured)):
        if served is not None:
            lines.append(_served(word, served, width))
    if page.source is not None:
        lines += _fact("", "muted", came_from(page.source), width)
    return lines


def _served(word: str, served: Served, width: int) -> Line:
    """Return how much a cache served as a bar: the rest of the prompt was paid for again."""
    kind = "ok" if served.tokens >= MOSTLY * served.total else "error"
    end: Line = [
        Piece(f" {served.tokens:,}", "bright"),
        Piece(f" of {served.total:,} ", "muted"),
        Piece(f"{percent(served.tokens, served.total):>5}", kind),
        Piece(f" {word}", "faint"),
    ]
    room = max(0, min(BAR_CELLS, width - LEAD - size_of(end)))
    full = 0 if not served.total else round(room * min(served.tokens, served.total) / served.total)
    return [
        Piece(" " * LEAD),
        Piece(FULL * full, "ok"),
        Piece(FULL * (room - full), "error" if room > full else "track"),
        *end,
    ]


def _tools(page: CallPage, width: int) -> list[Line]:
    lines: list[Line] = []
    if page.tools is not None:
        before, after, gone, came = page.tools
        moved = ((gone, "vanished"), (came, "came"))
        said = [f"{_names(names)} {word}" for names, word in moved if names]
        told = ", ".join([f"{before:,} → {after:,}", *said])
        lines += _fact(WARNING.text("tools"), "warn", told, width)
    if page.changed:
        lines += _fact(WARNING.text("asked"), "warn", f"{_names(page.changed)} changed", width)
    return lines


def _names(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def _took(page: CallPage, width: int) -> list[Line]:
    """Return how long the answer took to begin, beside that of the call before, and in all."""
    if page.took is None:
        return []
    first = waited_text(page.took.first)
    if page.took_before is not None:
        first = f"{waited_text(page.took_before.first)} → {first}"
    said = f"{first} to the first byte, {waited_text(page.took.whole)} in all"
    return _fact("took", "muted", said, width)


def _time(page: CallPage, width: int) -> list[Line]:
    call = page.told.call
    said = [to_the_second(call.time)]
    if page.apart is not None and page.apart >= SECOND:
        said.append(f"{page.apart / SECOND:,.0f} s after call {page.told.number - 1:,}")
    if call.outcome != "complete":
        said.append(f"it was {call.outcome}" if call.outcome == "cut" else "it failed")
    usage = {} if call.usage is None else call.usage.to_dict()
    counted = [f"{usage[name]:,} {word}" for name, word in USAGE_WORDS.items() if name in usage]
    lines = [*_took(page, width), *_fact("time", "muted", ", ".join(said), width)]
    return [*lines, *(_fact("counted", "muted", ", ".join(counted), width) if counted else [])]
