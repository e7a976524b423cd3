"""The prompt cache of a call: computed above measured on one scale, the call before below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple

from rich.cells import cell_len

from ctxtui.calls.models.call import Explained, ToolChange, ToolRow, ToolTable
from ctxtui.calls.models.sheet import (
    BLOCK,
    FEW,
    Break,
    CallCache,
    CallSheet,
    Evidence,
    Fact,
    RequestRow,
    UsageRow,
    waited_text,
)
from ctxtui.calls.seen import CHIPS, differs, edit_words, seen_lines
from ctxtui.core import Finding
from ctxtui.core.engine.calls import Call, Outcome
from ctxtui.core.engine.operation import Operation
from ctxtui.core.engine.settings import PROFILES
from ctxtui.core.engine.views import View
from ctxtui.inspector.drawing.head import unlinted
from ctxtui.inspector.drawing.words import given_fields, operation_title
from ctxtui.inspector.models.links import in_words
from ctxtui.inspector.models.tokens import off_by
from ctxtui.text.icons import ERROR, PASSED, WARNING, Icon, icon_of
from ctxtui.text.lines import (
    Line,
    Piece,
    breadcrumb,
    cropped,
    filled_row,
    fit,
    fit_pieces,
    hanging,
    head,
    in_rows,
    line_width,
    longest,
    paragraph,
    spread,
    stacked_up,
    wrap,
)
from ctxtui.text.message import GLYPHS, WORDS, content_text, preview, tool_names
from ctxtui.text.numbers import run_text, time_of_day, tokens
from ctxtui.text.plots import bar, cache_ruler
from ctxtui.text.plurals import percent, plural
from ctxtui.text.ribbon import Ribbon, RibbonAxis
from ctxtui.text.symbols import printable
from ctxtui.text.word_diff import edit_lines, edits

# The prompt cache of a call in sentences: where it breaks and why, and whether both rulers agree.

WORDS_NAME_CHARACTERS = 40
MOST_NAMES = 3
VERBS: tuple[tuple[ToolChange, str], ...] = (
    ("vanished", "vanished"),
    ("new", "came"),
    ("changed", "changed"),
)
PATIENCE = 300_000
"""Milliseconds after which many providers forget."""


def break_words(sheet: CallSheet) -> tuple[str, str]:
    """Return where the cache breaks in a few words, and why in a sentence; the first may be empty.

    What stays what it was has no words of its own.
    """
    broke, before = sheet.cache.broke, sheet.number - 1
    if broke.kind == "first":
        return "", "The first call of this path: earlier calls are unknown."
    if broke.kind == "model":
        old, new = (printable(name, WORDS_NAME_CHARACTERS) for name in broke.names)
        text = f"the model was {old} and is {new}; each model has a cache of its own."
        return "breaks at 0", f"{text} {_behind(sheet.cache)}"
    if broke.kind == "tools":
        text = f"{_tools(sheet.tools)}. Tools come before everything else."
        return "breaks in the tools", f"{text} {_behind(sheet.cache)}"
    if broke.kind == "parameters":
        named = listed(broke.names)
        text = f"{named} changed, which providers put before the messages."
        return "may break at 0", text
    if broke.kind == "provider":
        place = "where it edited" if broke.position is None else f"at position {broke.position:,}"
        kind, certainty = broke.names
        text = f"the provider changed what the model saw: {edit_words(kind)} ({certainty})."
        return f"breaks {place}", text
    if broke.kind == "whole":
        return "", f"All of call {before:,} is kept; new messages follow."
    place, text = _words_message(broke, before)
    if sheet.cache.inside:
        place = f"breaks in position {broke.position:,}"
        text += f" Both begin with the same {plural(sheet.cache.inside, 'token')}."
    return place, text


def _behind(cache: CallCache) -> str:
    """Return whether the messages alone would have broken it, too."""
    if cache.shared is None:
        return "Messages were only appended."
    return f"The messages differ from position {cache.shared:,} on, too."


def _words_message(broke: Break, before: int) -> tuple[str, str]:
    place = f"breaks before position {broke.position:,}"
    if broke.kind == "written":
        return place, f"raw {broke.was:,} is in the same place, but written differently."
    if broke.kind == "end":
        return "", f"This request is a prefix of call {before:,}."
    return place, f"it was raw {broke.was:,} in call {before:,} and is raw {broke.now:,} now."


def _tools(table: ToolTable) -> str:
    if not table.now:
        return "all tools vanished"
    if not table.before:
        return "tools were added where none were sent before"
    said = [f"{listed(names)} {verb}" for change, verb in VERBS if (names := table.names(change))]
    at = 0 if table.breaks is None else table.breaks
    text = " and ".join(said) or "the tools are in another order"
    return f"{text}; the first {at:,} are as before" if at else text


def listed(names: Sequence[str]) -> str:
    """Return names with commas, the first ones of many."""
    shown = [printable(name, WORDS_NAME_CHARACTERS) for name in names[:MOST_NAMES]]
    more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
    return ", ".join(shown) + more


def agreement_words(sheet: CallSheet) -> str:
    """Return whether the provider served what was computed, and why if it did not."""
    cache = sheet.cache
    cached = cache.cached or 0
    if cache.agreement == "agrees":
        is_seen = abs(cached - (cache.kept or 0)) <= FEW
        return "The two agree." if is_seen else f"{_counted(cache)}The two agree."
    if cache.agreement == "unsaid":
        return "The provider did not say what its cache served."
    if cache.agreement == "first" and not cached:
        return "The provider served nothing, which fits."
    if cache.agreement == "first":
        return f"{cached:,} were served nonetheless: a call before the record began the same way."
    apart = _apart(sheet, abs(cached - cache.expected))
    return (
        apart if cache.agreement in ("short", "unasked", "expired") else f"{_counted(cache)}{apart}"
    )


def _counted(cache: CallCache) -> str:
    """Return what is kept in the provider's tokens, where those two are compared, not those shown.

    A provider may count more or fewer tokens than are counted here.
    """
    kept, expected = cache.kept or 0, cache.expected
    return "" if kept == expected else f"Our {kept:,} are about {expected:,} in its count. "


def _apart(sheet: CallSheet, apart: int) -> str:
    waited = sheet.one.waited
    match sheet.cache.agreement:
        case "blocks":
            return f"The difference of {apart:,} fits blocks of up to {BLOCK}."
        case "short":
            smallest = sheet.cache.smallest
            return f"Nothing was served: the provider keeps nothing below {smallest:,} tokens."
        case "expired":
            lifetime = waited_text(sheet.cache.lifetime or 0)
            late = f"it was sent {waited_text(waited or 0)} later"
            return f"Nothing was served: {late}, and this cache may forget after {lifetime}."
        case "unasked":
            return "Nothing was served: this kind of request has to ask for it, and did not."
        case "counting":
            return f"The two differ by {apart:,}, which may be how it counts."
        case "more":
            return f"The provider served {apart:,} more: something else began in the same way."
    late = "" if waited is None or waited < PATIENCE else f", {waited_text(waited)} after it"
    return f"The provider served {apart:,} fewer than it could{late}; why is unknown."


def source_words(cache: CallCache) -> str:
    """Return which earlier call began in the same way, where that is not the call before."""
    if cache.is_elsewhere:
        return "What is kept was sent by a call of another branch."
    if cache.source is not None:
        return came_from(cache.source)
    return ""


def came_from(call: int) -> str:
    """Return which earlier call what is kept comes from."""
    return f"What is kept began call {call:,} in the same way."


def scale_words(cache: CallCache) -> str:
    """Return why the two rulers are not equally long, where they differ by much."""
    if cache.input is None or not cache.total:
        return ""
    if abs(cache.input - cache.total) * 4 <= max(cache.input, cache.total):
        return ""
    return f"It counted {cache.input:,} tokens where {cache.total:,} are counted here."


def read_words(cache: CallCache) -> str:
    """Return how much a model had to read."""
    return f"{cache.read:,} tokens {'read again' if cache.broke.is_loss else 'read'}"


def kept_words(cache: CallCache) -> str:
    """Return what is computed, in a few words."""
    return "nothing before" if cache.kept is None else f"{cache.kept:,} kept"


def cached_words(cache: CallCache) -> str:
    """Return what was measured, in a few words."""
    return "not said" if cache.cached is None else f"{cache.cached:,} cached"


CACHE_NAME_CELLS = 10
CACHE_FIGURE_CELLS = 22
LEAST_RULER = 12
"""Cells of a ruler below which its figures are on a line of their own."""
GAP = 2
MOST_LINES = 40
"""Lines of what differs in a message."""


def cache_lines(sheet: CallSheet, width: int) -> list[Line]:
    """Return the rulers with their scale, where the cache breaks and why, and the call before."""
    cache, before = sheet.cache, sheet.cache_before
    room = width - CACHE_NAME_CELLS - GAP - CACHE_FIGURE_CELLS
    is_wide = room >= LEAST_RULER
    room = room if is_wide else max(3, width - 1)
    drawn = 0 if before is None else before.total if before.input is None else before.input
    scale = max(cache.scale, drawn, 1)
    lines = _scale(cache, len(sheet.one.view), scale, room) if is_wide else []
    lines = [[Piece(" " * CACHE_NAME_CELLS), *line] for line in lines]
    between = room if is_wide else None
    kept = cache_ruler(cache.kept or 0, cache.total, scale, room, is_new=not cache.broke.is_loss)
    lines += _cache_row(
        "computed", kept, kept_words(cache), _share(cache.kept, cache.total), between
    )
    served = _measured(cache, scale, room)
    share = _share(cache.cached, cache.input)
    lines += _cache_row("measured", served, cached_words(cache), share, between)
    indent = CACHE_NAME_CELLS if is_wide else 0
    lines += [[Piece(" " * indent), *line] for line in _cache_words(sheet, width - indent)]
    if before is not None:
        line, figure, share = _before(before, scale, room)
        lines += [[], *_cache_row(f"call {sheet.number - 1:,}", line, figure, share, between)]
    return lines


def difference_lines(sheet: CallSheet, width: int) -> list[Line]:
    """Return the words that differ in the first message that is not as in the call before."""
    broke, log = sheet.cache.broke, sheet.state.log
    if broke.kind != "message" or broke.was is None or broke.now is None:
        return []
    old, new = log[broke.was], log[broke.now]
    if old.role != new.role:
        return []
    lines = edit_lines(edits(content_text(old), content_text(new)), width)
    more = [[Piece(f"… {len(lines) - MOST_LINES:,} more lines", "faint")]]
    return lines if len(lines) <= MOST_LINES else [*lines[:MOST_LINES], *more]


# The rulers


def _measured(cache: CallCache, scale: int, room: int) -> Line:
    """Return what a provider served; nothing can be drawn where it did not say how much it read."""
    if cache.cached is None:
        return []
    total = max(cache.cached, cache.total if cache.input is None else cache.input)
    return cache_ruler(cache.cached, total, scale, room, is_new=not cache.broke.is_loss)


def _scale(cache: CallCache, messages: int, scale: int, room: int) -> list[Line]:
    """Return what is where: tools, the system's messages, the others."""
    tools = round(room * cache.tools / scale)
    system = round(room * (cache.tools + cache.system) / scale)
    end = max(1, min(room, round(room * cache.total / scale))) - 1
    marks = sorted({0, *(at for at in (tools, system) if 0 < at < end), end})
    axis = "".join(
        ("├" if at == 0 else "┤" if at == end else "┼") if at in marks else "─"
        for at in range(end + 1)
    )
    return [_scale_words(cache, messages, tools, end + 1), [Piece(axis, "track")]]


def _scale_words(cache: CallCache, messages: int, tools: int, room: int) -> Line:
    """Return what is what above the scale, each where it begins if that leaves room for all."""
    first = [Piece("tools", "tool")] if cache.tools else []
    second = [Piece("system", "system")] if cache.system else []
    lead = ", then " if second else "then " if first else ""
    second.append(Piece(f"{lead}{plural(messages, 'message')}", "muted"))
    total, size = f"{cache.total:,}", line_width(second)
    start = line_width(first) + bool(first)
    start = max(start, min(tools, room - size - len(total) - 1)) if first else 0
    gap = Piece(" " * (start - line_width(first)))
    tail = max(GAP, room - start - size - len(total))
    return [*first, gap, *second, Piece(" " * tail), Piece(total, "faint")]


def _share(part: int | None, whole: int | None) -> tuple[str, str]:
    if part is None or not whole:
        return "", "muted"
    return percent(min(part, whole), whole), "ok" if 2 * part >= whole else "error"


def _cache_row(
    name: str, line: Line, figure: str, share: tuple[str, str], room: int | None
) -> list[Line]:
    """Return a ruler between its name and its figures, or below them where there is no room."""
    kind = "faint" if name not in ("computed", "measured") else "bright"
    tail = [Piece(f"{share[0]:>6}", share[1] if kind == "bright" else "faint")]
    words = "muted" if kind == "bright" else "faint"
    if room is None:
        return [[Piece(fit(name, CACHE_NAME_CELLS), kind), Piece(f"{figure} ", words), *tail], line]
    gap = Piece(" " * (room - line_width(line) + GAP))
    figures = Piece(f"{figure:<{CACHE_FIGURE_CELLS - 6}}", words)
    return [[Piece(fit(name, CACHE_NAME_CELLS), kind), *line, gap, figures, *tail]]


def _before(cache: CallCache, scale: int, room: int) -> tuple[Line, str, tuple[str, str]]:
    """Return the call before, dim, with its figures: measured where that is known."""
    if cache.cached is not None and cache.input is not None:
        line = cache_ruler(cache.cached, cache.input, scale, room, is_new=True, dim="faint")
        return line, cached_words(cache), _share(cache.cached, cache.input)
    line = cache_ruler(cache.kept or 0, cache.total, scale, room, is_new=True, dim="faint")
    return line, kept_words(cache), _share(cache.kept, cache.total)


# The words


def _cache_words(sheet: CallSheet, width: int) -> list[Line]:
    cache = sheet.cache
    place, why = break_words(sheet)
    lead = f"{place}: " if place else ""
    rows = wrap(f"{lead}{why}", max(10, width - 2))
    hook = "╰ " if cache.broke.is_loss else "  "
    lines: list[Line] = [_first(rows[0], lead, hook)]
    lines += [[Piece("  "), Piece(row)] for row in rows[1:]]
    said = [agreement_words(sheet), scale_words(cache), source_words(cache)]
    if cache.diagnosis is not None:
        said.append(f"The provider says: {printable(cache.diagnosis, 300)}")
    text = "  ".join(one for one in said if one)
    lines += hanging([Piece("  ")], text, width, "muted")
    figure = Piece(read_words(cache), "error" if cache.broke.is_loss else "bright")
    computed = "computed is an estimate: from what is said, not how it was written"
    if cache.is_strict:
        computed = "computed from what was written, to the byte"
    return [*lines, [Piece("  "), figure, Piece(f"   {computed}", "faint")]]


def _first(row: str, lead: str, hook: str) -> Line:
    ink = "bright" if lead else "text"
    cut = min(len(lead), len(row))
    return [Piece(hook, "error"), Piece(row[:cut], ink), Piece(row[cut:], "text")]


# The head of the call screen: which call it is, and how it went.

HEAD_SIGNS: dict[Outcome, Icon] = {"complete": PASSED, "cut": WARNING, "failed": ERROR}


def head_line(
    sheet: CallSheet,
    live: str,
    width: int,
    *,
    has_keys: bool = True,
    session: str = "",
    reading: Sequence[Piece] = (),
) -> Line:
    """Return which call it is, its model, when it was, its outcome and its size.

    ``live`` says what was added to a session that another program writes, ``reading`` whether it is
    shown as sent or as seen; keys are named only where there are some.
    """
    call, sent = sheet.one.call, len(sheet.one.view)
    usage = call.usage
    first = [Piece(f" CALL {sheet.number:,}", "bright"), Piece(f" of {sheet.count:,}", "muted")]
    model = [Piece(f"   {call.model[:30]}", "text")] if call.model else []
    when = [Piece(f"   {time_of_day(call.time)}", "muted")]
    sign = HEAD_SIGNS[call.outcome]
    outcome = [Piece(f"   {sign.text(call.outcome)}", sign.kind)]
    count = [
        Piece(f"   {sent:,}", "bright"),
        Piece(f" {plural(sent, 'message').split()[-1]}", "muted"),
    ]
    figures: Line = []
    if usage is not None and usage.input is not None:
        figures += [Piece(f"   {usage.input:,}", "bright"), Piece(" tokens in", "muted")]
    else:
        figures += [Piece(f"   ~{sheet.cache.total:,}", "bright"), Piece(" tokens in", "muted")]
    if usage is not None and usage.output is not None:
        figures += [Piece(f"   {usage.output:,}", "bright"), Piece(" out", "muted")]
    news = [Piece(f"{live}   ", "ok")] if live else []
    path = breadcrumb(session, "", width)[:-1] if session else []
    first = [*path, *first, *reading]
    whole = [*first, *model, *when, *outcome, *count, *figures]
    ways: tuple[tuple[Line, Line], ...] = (
        (
            whole,
            [*news, *([Piece("← →", "key"), Piece(" other calls ", "muted")] if has_keys else [])],
        ),
        (whole, news),
        ([*first, *model, *outcome, *count, *figures], news),
        ([*first, *outcome, *count, *figures], []),
        ([*first, *outcome, *figures], []),
        ([*first, *outcome], []),
        ([*first[len(path) :], *outcome], []),
    )
    return longest(ways, width)


# Lint of what was sent: what each profile says, and the findings with what caused them.

MOST_FINDINGS = 20
SENTENCE_CHARACTERS = 300


def lint_lines(sheet: CallSheet, width: int) -> list[Line]:
    """Return the profiles with their counts, the findings, and what the provider made of it."""
    lines = in_rows([_profile(sheet, name) for name in PROFILES], max(10, width))
    if not sheet.look.is_linted:
        return [*lines, [], [unlinted(sheet.look)]]
    findings = sheet.look.findings
    for finding in findings[:MOST_FINDINGS]:
        lines += [[], *_finding(sheet, finding, width)]
    more = len(findings) - MOST_FINDINGS
    if more > 0:
        lines += [[], [Piece(f"and {plural(more, 'finding')} more", "muted")]]
    if not findings:
        lines += [[], [PASSED.piece(f"no rule of {sheet.state.head.settings.profile} is broken")]]
    words = [[Piece(row, "muted")] for row in wrap(taken_words(sheet), max(10, width)) if row]
    return [*lines, [], *words] if words else lines


def lint_about(sheet: CallSheet) -> Line:
    """Return how many errors and warnings there are, for the border."""
    if not sheet.look.is_linted:
        return []
    errors, warnings = sheet.look.errors, sheet.look.warnings
    words = [ERROR.piece(f"{errors:,} ")] if errors else []
    words += [WARNING.piece(f"{warnings:,} ")] if warnings else []
    return words or [Piece(PASSED.glyph, "muted")]


def _profile(sheet: CallSheet, name: str) -> Line:
    is_own = name == sheet.state.head.settings.profile
    line = [Piece(f" {name} " if is_own else name, "pill" if is_own else "muted")]
    found = sheet.profiles.get(name)
    if found is None:
        is_pending = not sheet.look.is_unlintable
        return [*line, Piece(" …", "faint") if is_pending else ERROR.piece()]
    if not (found.errors or found.warnings):
        return [*line, Piece(f" {PASSED.glyph}", PASSED.kind)]
    for sign, count in ((ERROR, found.errors), (WARNING, found.warnings)):
        line += [Piece(f" {sign.glyph}{count:,}", sign.kind)] if count else []
    return line


def _finding(sheet: CallSheet, finding: Finding, width: int) -> list[Line]:
    sign = icon_of(finding)
    place = ""
    if finding.position is not None and finding.raw_index is not None:
        place = f"  position {finding.position:,}  raw {finding.raw_index:,}"
    lines: list[Line] = [[sign.piece(in_words(finding)), Piece(place, "muted")]]
    text = printable(finding.message, SENTENCE_CHARACTERS)
    lines += paragraph(text, width)
    cause = printable(sheet.look.cause(finding), SENTENCE_CHARACTERS)
    lines += [[Piece(row, "muted")] for row in wrap(cause, max(10, width)) if row]
    paper = "finding" if finding.severity == "error" else "warning"
    return [filled_row(line, paper, width) for line in lines]


def taken_words(sheet: CallSheet) -> str:
    """Return what the provider made of it; a server may take what another refuses."""
    call, status = sheet.one.call, sheet.status
    if call.outcome == "complete":
        return "This server took it." if sheet.look.findings else ""
    said = "" if sheet.refusal is None else f": {printable(sheet.refusal, 400)}"
    if call.outcome == "cut":
        return f"The answer was cut off{said}."
    answered = "refused or lost it" if status is None else f"answered {status}"
    return f"This server {answered}{said}"


# The request and its figures: what was asked for, what changed, and what it cost.

REQUEST_NAME_CELLS = 12
VALUE_CHARACTERS = 200
REQUEST_FIGURE_CELLS = 11
CHANGED = "~ changed"


def request_lines(sheet: CallSheet, width: int) -> list[Line]:
    """Return what was asked for, row by row; what changed says what it was."""
    return [_request(row, width) for row in sheet.request]


def _request(row: RequestRow, width: int) -> Line:
    name = printable(row.name, 30)
    lead = [
        Piece(fit(name, max(REQUEST_NAME_CELLS, min(cell_len(name), width // 2))) + " ", "muted")
    ]
    now = printable(row.now, VALUE_CHARACTERS)
    if row.was is None:
        return fit_pieces([*lead, Piece(now)], width)
    was = printable(row.was, VALUE_CHARACTERS)
    body = [*lead, Piece(was, "muted"), Piece(" → ", "muted"), Piece(now or "none", "bright")]
    room = max(0, width - len(CHANGED) - 1)
    return spread(fit_pieces(body, room), [Piece(f" {CHANGED}", "warn")], width)


def usage_lines(sheet: CallSheet, width: int) -> list[Line]:
    """Return what is counted here next to what the provider says, and the sums of the path."""
    cells = (
        REQUEST_FIGURE_CELLS
        if width >= REQUEST_NAME_CELLS + 3 * REQUEST_FIGURE_CELLS
        else REQUEST_FIGURE_CELLS - 2
    )
    name = max(8, min(REQUEST_NAME_CELLS, width - 3 * cells))
    heads = "".join(f"{one:>{cells}}" for one in ("estimated", "measured", "off by"))
    lines: list[Line] = [[Piece(" " * name), Piece(heads, "faint")]]
    lines += [_usage(row, name, cells) for row in sheet.usage]
    return cropped([*lines, *_bars(sheet.usage[0], width), *_sums(sheet, width)], width)


def _usage(row: UsageRow, name: int, cells: int) -> Line:
    both = row.estimated is not None and row.measured is not None
    apart = off_by(row.measured or 0, row.estimated) if both else ""
    return [
        Piece(f"{row.name:<{name}}", "muted"),
        Piece(f"{_figure(row.estimated):>{cells}}", "text" if row.estimated else "faint"),
        Piece(f"{_figure(row.measured):>{cells}}", "faint" if row.measured is None else "bright"),
        Piece(f"{apart or '·':>{cells}}", "muted" if apart else "faint"),
    ]


def _figure(count: int | None) -> str:
    if count is None:
        return "–"
    return f"{count:,}" if count < 10**8 else tokens(count)


def _bars(row: UsageRow, width: int) -> list[Line]:
    """Return the two figures of the input as bars on one scale."""
    if row.estimated is None or row.measured is None:
        return []
    most, room = max(row.estimated, row.measured), width - REQUEST_NAME_CELLS - 8
    if room < REQUEST_NAME_CELLS:
        return []
    return [
        [],
        *(
            [
                Piece(f"{name:<{REQUEST_NAME_CELLS}}", "muted"),
                Piece(f"{bar(count, most, room):<{room}}", kind),
                Piece(f"{tokens(count):>7}", "bright"),
            ]
            for name, count, kind in (
                ("estimate", row.estimated, "bar"),
                ("provider", row.measured, "bright"),
            )
        ),
    ]


def _sums(sheet: CallSheet, width: int) -> list[Line]:
    count, sent, cached = sheet.sums
    text = plural(count, "call on this path", "calls on this path")
    if sent:
        text += f": {tokens(sent)} in, {percent(cached, sent)} of them cached"
    by = f"counted here by {printable(sheet.look.counter, 30)}"
    rows = [(row, "faint") for row in wrap(by, width)] + [
        (row, "text") for row in wrap(text, width)
    ]
    return [[], *([Piece(row, kind)] for row, kind in rows)]


# The tools of a call: what became of each since the call before, and which could be served.

TOKEN_CELLS = 7
WORD_CELLS = 12
TOOLS_SIGNS = {"vanished": "−", "new": "+", "changed": "~", "same": " "}
STYLE_CLASSES = {"vanished": "error", "new": "ok", "changed": "warn", "same": "text"}
PAPERS = {"vanished": "hidden", "new": "added", "changed": "warning"}


def tool_lines(sheet: CallSheet, width: int) -> list[Line]:
    """Return a row for each tool, then how many are as they were."""
    table = sheet.tools
    if not table.rows:
        return [[Piece("No tools are sent.", "muted")]]
    lines = [_tools_row(row, table, width) for row in table.rows]
    return [
        *lines,
        [],
        *paragraph(_tools_words(table), width, "muted"),
    ]


def _tools_row(row: ToolRow, table: ToolTable, width: int) -> Line:
    ink = STYLE_CLASSES[row.change]
    sign = "│" if row.is_served else "░" if row.change == "same" and _is_broken(table) else ""
    lead = Piece(f"{sign or TOOLS_SIGNS[row.change]} ", "ok" if row.is_served else ink)
    name = printable(row.name, 60)
    room = max(0, width - TOKEN_CELLS - WORD_CELLS - 2)
    figure = f"{'−' if row.change == 'vanished' else ''}{tokens(row.tokens)}"
    line = [
        lead,
        Piece(fit(name, room), "struck" if row.change == "vanished" else ink),
        Piece(f"{figure:>{TOKEN_CELLS}}", "error" if row.change == "vanished" else "muted"),
        Piece(f"{_word(row, table):>{WORD_CELLS}}", ink if row.change != "same" else "faint"),
    ]
    return filled_row(line, PAPERS[row.change], width) if row.change in PAPERS else line


def _is_broken(table: ToolTable) -> bool:
    return table.breaks is not None


def _word(row: ToolRow, table: ToolTable) -> str:
    if row.change != "same":
        return row.change
    return "same" if row.is_served else "sent again" if _is_broken(table) else "sent"


def _tools_words(table: ToolTable) -> str:
    total = sum(row.tokens for row in table.rows if row.change != "vanished")
    if table.breaks is None:
        is_first = not any(row.is_served for row in table.rows)
        end = "." if is_first else ", as in the call before."
        return f"{plural(table.now, 'tool')} of {total:,} tokens{end}"
    if not table.breaks:
        if not table.now:
            return "None are sent."
        return f"After the call before, none of the {total:,} tokens could be served."
    return f"The first {table.breaks:,} are unchanged: {table.served:,} tokens could be served."


# The operation that explains a call: its fields, how sure it is, and what speaks for it.

WHY_NAME_CELLS = 10
COUNT_CELLS = 7
MOST_STEPS = 8
REASON_CHARACTERS = 300
MOST_RUNS = 4
MOST_MOVED = 8
PROOFS = {
    "COMPRESS": "a text that is another call's answer, or a provider's own compaction",
    "REDACT": "ids of tool calls on both sides, by which the same result is known",
    "REPLACE": "ids of tool calls on both sides, by which the same result is known",
}


def why_lines(sheet: CallSheet, width: int) -> list[Line]:
    """Return what explains a call, both projections as ribbons, and the evidence."""
    evidence = sheet.evidence
    lines = _steps(evidence, width)
    if sheet.one.before is not None:
        lines += [[], *_ribbons(sheet, width)]
    said = [*_reasons(evidence, width), *_facts(sheet, width)]
    if said:
        lines += [[], *said]
    if evidence.lacking is not None:
        needs = PROOFS.get(
            evidence.lacking, "more than requests: they show what was sent, not what was done"
        )
        rows = wrap(f"A proof of {evidence.lacking[:20]} needs {needs}.", max(10, width))
        lines += [[], *([Piece(row, "faint")] for row in rows)]
    moved = _moved(sheet, width)
    return [*lines, [], *moved] if moved else lines


def _steps(evidence: Evidence, width: int) -> list[Line]:
    lines: list[Line] = []
    for at, (operation, explained) in enumerate(evidence.steps[:MOST_STEPS]):
        lines += _step(operation, explained, "then " if at else "", width)
    more = len(evidence.steps) - MOST_STEPS
    if more > 0:
        lines.append([Piece(f"… and {plural(more, 'operation')} more", "faint")])
    return lines or [[Piece("Nothing was done: the same was sent again.", "text")]]


def _step(
    operation: Operation | None, explained: Explained | None, lead: str, width: int
) -> list[Line]:
    title = operation_title(operation) if operation is not None else ""
    title = title or printable("" if explained is None else explained.operation, 20)
    words: list[Line] = [[Piece(lead, "muted"), Piece(title, "bright")]]
    if operation is not None and not isinstance(operation, Call):
        for field in given_fields(operation)[:4]:
            name = [Piece(f"{field.name} ", "muted")] if field.name else []
            words.append([*name, Piece(field.value, "text")])
    sure = "done here" if explained is None else printable(explained.certainty, 20)
    kind = "muted" if explained is None else CHIPS.get(explained.certainty, "muted")
    chip = [Piece(f" {sure} ", kind)]
    first, *rest = in_rows(words, max(10, width - line_width(chip)))
    return [spread(first, chip, width), *rest]


# The two projections


def _ribbons(sheet: CallSheet, width: int) -> list[Line]:
    one, look = sheet.one, sheet.look
    was, diff = one.revision_before, one.difference
    assert was is not None
    assert diff is not None
    axis = RibbonAxis(look.log_size, max(0, width - WHY_NAME_CELLS - COUNT_CELLS))
    before = Ribbon(look.state.log, look.figures, was.view, size=was.log_size)
    now = Ribbon(look.state.log, look.figures, look.view, size=look.log_size, went=diff.hidden)
    return [
        _ribbon(f"call {sheet.number - 1:,}", before.line(axis), len(was.view), "muted", width),
        _ribbon(f"call {sheet.number:,}", now.line(axis), len(look.view), "bright", width),
    ]


def _ribbon(name: str, line: Line, count: int, kind: str, width: int) -> Line:
    body = fit_pieces(line, max(0, width - WHY_NAME_CELLS - COUNT_CELLS))
    return [Piece(fit(name, WHY_NAME_CELLS), kind), *body, Piece(f"{count:>{COUNT_CELLS},}", kind)]


# What came and went


def _moved(sheet: CallSheet, width: int) -> list[Line]:
    diff = sheet.one.difference
    if diff is None:
        return []
    lines: list[Line] = []
    for sign, kind, view in (
        ("−", "error", diff.hidden),
        ("+", "ok", diff.shown),
        ("+", "ok", diff.added),
    ):
        lines += [_why_message(sheet, Piece(sign, kind), raw, width) for raw in view[:MOST_MOVED]]
        if len(view) > MOST_MOVED:
            lines.append([Piece(f"{sign} and {len(view) - MOST_MOVED:,} more", "faint")])
    return lines


def _why_message(sheet: CallSheet, sign: Piece, raw: int, width: int) -> Line:
    log = sheet.state.log
    message = log[raw]
    lead = [
        sign,
        Piece(f"{raw:>5,}  ", "muted"),
        Piece(f"{GLYPHS[message.role]} {WORDS[message.role]:<5}", message.role),
    ]
    tail = Piece(f"{tokens(sheet.look.tokens(raw)):>7}", "muted")
    room = max(0, width - line_width(lead) - len(tail.text))
    body = fit_pieces(preview(message, tool_names(log, raw)), room)
    if sign.kind == "error":
        body = [Piece(text, "struck") for text, _ in body]
    return [*lead, *body, tail]


# What speaks for it


def _reasons(evidence: Evidence, width: int) -> list[Line]:
    lines: list[Line] = []
    for _, explained in evidence.steps[:MOST_STEPS]:
        if explained is not None:
            lines += _bullet(printable(explained.reason, REASON_CHARACTERS), width)
    for said in evidence.noticed:
        lines += _bullet(printable(said, REASON_CHARACTERS), width)
    return lines


def _facts(sheet: CallSheet, width: int) -> list[Line]:
    lines: list[Line] = []
    for fact in sheet.evidence.facts:
        lines += _bullet(fact_words(fact, sheet.number), width)
    if sheet.evidence.lacking == "TRUNCATE":
        text = "DELETE of the same messages gives the same: one cut is simpler"
        lines += _bullet(text, width, is_sure=False)
    return lines


def _bullet(text: str, width: int, *, is_sure: bool = True) -> list[Line]:
    sign = PASSED.piece() if is_sure else Piece("? ", "warn")
    return hanging(
        [Piece(fit(sign.text, 2), sign.kind)], text, width, "text" if is_sure else "muted"
    )


def fact_words(fact: Fact, number: int) -> str:
    """Return a fact of two projections as a sentence."""
    before, raws, one = number - 1, _raws(fact.raws), fact.size == 1
    match fact.kind:
        case "same":
            return f"the same {plural(fact.size, 'message')} as in call {before:,}"
        case "gone":
            was, are = ("was", "is") if one else ("were", "are")
            return f"{raws} {was} sent in call {before:,} and {are} not in call {number:,}"
        case "stayed":
            if one:
                return "the one that stayed is the same"
            return f"the {fact.size:,} that stayed are the same, in the same order"
        case "moved":
            return f"{raws} {'has' if one else 'have'} moved"
        case "inside":
            return f"{raws} were inserted, not appended"
        case "alone":
            return "nothing replaces what was removed, so no summary"
        case "came":
            return f"{raws} were appended"
    return f"{raws} {'is' if one else 'are'} written differently than before"


def _raws(view: View) -> str:
    runs = list(islice(view.joined(), MOST_RUNS + 1))
    text = ", ".join(run_text(start, start + size - 1) for start, size in runs[:MOST_RUNS])
    return f"raw {text}{' and more' if len(runs) > MOST_RUNS else ''}"


# All parts of a call below each other, for terminals that have no room for panes.


class Section(NamedTuple):
    """A part of the screen: the name of its pane, its title, what it is about, and its lines."""

    name: str
    title: str
    about: Callable[[CallSheet], Line]
    lines: Callable[[CallSheet, int], list[Line]]

    def title_of(self, sheet: CallSheet) -> str:
        return self.title.format(word=sheet.word)


def _cache_about(sheet: CallSheet) -> Line:
    order = "the model read them" if sheet.cache.is_seen else "they are sent"
    return [Piece(f"tokens of call {sheet.number:,} in the order {order}", "muted")]


def _request_about(sheet: CallSheet) -> Line:
    is_first = sheet.one.before is None
    return [] if is_first else [Piece(f"changes since {sheet.number - 1:,}", "muted")]


def _tools_about(sheet: CallSheet) -> Line:
    before, now = sheet.tools.before, sheet.tools.now
    return [Piece(f"{now:,}" if before == now else f"{before:,} → {now:,}", "bright")]


def _why_about(sheet: CallSheet) -> Line:
    number = sheet.number
    is_first = sheet.one.before is None
    return [] if is_first else [Piece(f"between call {number - 1:,} and call {number:,}", "muted")]


SECTIONS = (
    Section("seen", "What the model saw", lambda _: [], seen_lines),
    Section("cache", "Prompt cache", _cache_about, cache_lines),
    Section("request", "Request", _request_about, request_lines),
    Section(
        "usage", "Usage", lambda _: [Piece("measured against estimated", "muted")], usage_lines
    ),
    Section("tools", "Tools", _tools_about, tool_lines),
    Section("why", "The operation that explains it", _why_about, why_lines),
    Section("lint", "Lint of what was {word}", lint_about, lint_lines),
)
"""The parts of a call, in the order one asks."""


def sections_of(sheet: CallSheet) -> tuple[Section, ...]:
    """Return the parts of a call; where all was seen as it was sent, there is nothing to add."""
    return SECTIONS if differs(sheet.one.seen) else SECTIONS[1:]


def call_lines(
    sheet: CallSheet, width: int, sections: Sequence[Section] | None = None
) -> list[Line]:
    """Return all parts of a call, or some, below each other, each with its title."""
    made = []
    for section in sections_of(sheet) if sections is None else sections:
        about = section.about(sheet)
        about = about if line_width(about) < width // 2 else []
        body = cropped(section.lines(sheet, width), width)
        made.append([head(section.title_of(sheet), about, width), *body])
    return stacked_up(*made)
