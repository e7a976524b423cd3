"""What providers counted for calls, beside what is counted here."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.calls.models.call import CallSums, RecordedCalls
from ctxtui.calls.models.sheet import CallSheet
from ctxtui.core.engine.calls import Call
from ctxtui.core.engine.queries import Offer, notices_of
from ctxtui.core.engine.revisions import Revision
from ctxtui.core.engine.state import State
from ctxtui.core.engine.tokens import is_exact
from ctxtui.core.values.models import ROLES
from ctxtui.inspector.models.look import Look, is_on_path
from ctxtui.inspector.models.tokens import (
    cached_prefix,
    next_offer,
    off_by,
    provider_figures,
)
from ctxtui.text.icons import WARNING
from ctxtui.text.lines import (
    GUTTER,
    Line,
    Piece,
    beside,
    cropped,
    fit,
    head,
    paragraph,
    stacked_up,
)
from ctxtui.text.message import GLYPHS, WORDS, plain_preview, who
from ctxtui.text.numbers import time_of_day, tokens
from ctxtui.text.plots import Guide, Plot, Stack, bar, bucket_of, names_width, round_step
from ctxtui.text.plurals import percent, plural
from ctxtui.text.symbols import printable

NAME_CELLS = 12
CALL_FIGURE_CELLS = 11
MODEL_CELLS = 30
UNSAID = "–"


def call_lines(look: Look, width: int) -> list[Line]:
    """Return the newest call of the path in figures; nothing where no call was recorded."""
    if not look.calls:
        return []
    sheet = CallSheet(RecordedCalls(look.conversation, look.calls).at(len(look.calls)))
    counter = printable(look.counter, CALL_FIGURE_CELLS - 1)
    names = f"{'':<{NAME_CELLS}}{counter:>{CALL_FIGURE_CELLS}}{'provider':>{CALL_FIGURE_CELLS}}"
    about = Piece(_about(look, sheet.one.call), "faint")
    lines = [head("Newest call", [about], width), [Piece(names, "faint")]]
    lines += [_row(*row) for row in sheet.usage if row[1:] != (None, None)]
    lines += paragraph(_sums(sheet.sums), width, "muted")
    return cropped(lines, width)


def _row(name: str, here: int | None, there: int | None) -> Line:
    apart = "" if here is None or there is None else off_by(there, here)
    return [
        Piece(f"{name:<{NAME_CELLS}}", "muted"),
        Piece(f"{_figure(here):>{CALL_FIGURE_CELLS}}", "text" if here is not None else "faint"),
        Piece(f"{_figure(there):>{CALL_FIGURE_CELLS}}", "bright" if there is not None else "faint"),
        Piece(f"   {apart}" if apart else "", "muted"),
    ]


def _figure(count: int | None) -> str:
    return UNSAID if count is None else tokens(count)


def _about(look: Look, call: Call) -> str:
    number = look.state.batches[look.state.revisions[call.revision].batch].number
    said = [printable(call.model or "", MODEL_CELLS), f"batch {number}", time_of_day(call.time)]
    said.append("" if call.outcome == "complete" else call.outcome)
    return "  ".join(one for one in said if one)


def _sums(sums: CallSums) -> str:
    count, sent, cached = sums
    told = plural(count, "call on this path", "calls on this path")
    return f"{told}: {tokens(sent)} in, {percent(cached, sent)} cached." if sent else f"{told}."


# The two plots of the tokens view: over the batches of a path, and message by message.

TOTALS = 7
"""How wide a column must be for its total to be shown below."""
FAR = 3
"""How many times the largest column a level may be; further up it would only flatten the rest."""
SIDE_BY_SIDE_CELLS = 90
AXIS_CELLS = 9


def batch_plot(look: Look, width: int, rows: int) -> list[Line]:
    """Return the visible tokens at the end of each batch, its roles on top of each other.

    What a model saw of a call is no batch.
    """
    if look.is_seen:
        return []
    state, figures = path_state(look), look.figures
    count, shown = state.batch.number + 1, look.batch.number
    guides = guides_of(look)
    numbers = sampled(count, shown, max(1, width - AXIS_CELLS - names_width(guides)))
    revisions = [_shown(look, state, number) for number in numbers]
    columns = [list(zip(ROLES, figures.by_role(one.view), strict=True)) for one in revisions]
    totals = [sum(amount for _, amount in stack) for stack in columns]
    near = [guide for guide in guides if guide.value <= FAR * max(totals)]
    plot = Plot(columns, width, rows, guides=near)
    here = numbers.index(look.batch.number)
    lines = [head("Over batches", _legend(columns, width), width), *plot.lines()]
    limit = look.conversation.settings.token_limit
    labels = []
    for i, (number, total) in enumerate(zip(numbers, totals, strict=True)):
        over = limit is not None and total > limit
        kind = "error" if over else "bright" if i == here else "muted"
        labels.append((i, Piece(f"{number}!" if over else str(number), kind)))
    lines.append(plot.below(thinned(labels, here, plot.group)))
    if plot.group >= TOTALS:
        said = [(i, Piece(tokens(total), labels[i][1].kind)) for i, total in enumerate(totals)]
        lines.append(plot.below(said))
    names = [(i, Piece(_name(one, state), "faint")) for i, one in enumerate(revisions)]
    if plot.group > max(len(name.text) for _, name in names):
        lines.append(plot.below(names))
    return cropped(lines, width)


def path_state(look: Look) -> State:
    """Return the state whose path is plotted: the present one, unless an abandoned one is shown."""
    on_path = is_on_path(look.conversation, look.batch)
    return look.conversation.moment if on_path else look.state


def sampled(count: int, shown: int, most: int) -> list[int]:
    """Return the numbers of the batches that get a column: the last of each bucket, or the shown.

    With fewer batches than columns that is every one.
    """
    size = min(count, most)
    found = []
    for i in range(size):
        first, stop = count * i // size, count * (i + 1) // size
        found.append(shown if first <= shown < stop else stop - 1)
    return found


def thinned(
    labels: list[tuple[int, Piece]], here: int | None, group: int
) -> list[tuple[int, Piece]]:
    """Return every so many labels, as many as there is room for, the one that matters first."""
    longest = max([len(piece.text) for _, piece in labels], default=0)
    step = -(-(longest + 1) // group)
    first = [] if here is None else [labels[here]]
    return [*first, *labels[::step]]


def guides_of(look: Look) -> list[Guide]:
    """Return the limit and the threshold, where the settings have them."""
    settings = look.conversation.settings
    compression, found = settings.compression_config, []
    if compression.enabled and compression.threshold is not None:
        found.append(Guide(compression.threshold, "threshold", "muted", "┈"))
    if settings.token_limit is not None:
        found.append(Guide(settings.token_limit, "limit", "warn"))
    return found


def _shown(look: Look, state: State, number: int) -> Revision:
    """Return a batch as the path left it; the shown one as it is shown."""
    return look.revision if number == look.batch.number else state.on_path(number)


def _legend(columns: Sequence[Stack], width: int) -> Line:
    present = [role for role in ROLES if any(dict(stack)[role] for stack in columns)]
    line = (
        [Piece("visible tokens at the end of each  ", "faint")]
        if width >= SIDE_BY_SIDE_CELLS
        else []
    )
    for role in present:
        line += [Piece(" ■ ", role), Piece(WORDS[role], "muted")]
    return line


def _name(revision: Revision, state: State) -> str:
    operation = state.batches[revision.batch].operation
    return "start" if operation is None else operation.title.lower()


def message_plot(look: Look, width: int, rows: int, raw: int | None) -> list[Line]:
    """Return the tokens of each visible message in the order they are sent.

    Where there are more messages than columns, a column is the largest of its bucket.
    """
    sizes = look.sizes
    count = len(sizes.column)
    at = None if raw is None else look.view.position(raw)
    columns: list[Stack] = []
    size = min(count, max(1, width - AXIS_CELLS))
    for i in range(size):
        start, stop = count * i // size, count * (i + 1) // size
        bucket = sizes.column[start:stop]
        peak = max(bucket)
        columns.append([(ROLES[sizes.roles[start + bucket.index(peak)]], peak)])
    plot = Plot(columns, width, rows, widest=5)
    here = None if at is None else bucket_of(at, count, size)
    about = "in the order they are sent"
    if size < count:
        about = f"each column is the largest of {-(-count // size)}"
    lines = [head("Per message", [Piece(about, "faint")], width), *plot.lines()]
    labels = _positions(plot, count, size)
    marked = [] if here is None else [(here, Piece("▲", "key"))]
    lines.append(plot.below([*marked, *labels]))
    lines += _cache_chart(look, plot, count, size)
    if at is not None and raw is not None:
        role = ROLES[sizes.roles[at]]
        said = f"position {at:,}  raw {raw:,}  {sizes.column[at]:,} tokens"
        lines.append([Piece("▲ ", "key"), Piece(f"{WORDS[role]} ", role), Piece(said, "text")])
    elif raw is not None:
        lines.append([Piece(f"▲ raw {raw:,} is hidden here", "faint")])
    return cropped(lines, width)


def _cache_chart(look: Look, plot: Plot, count: int, size: int) -> list[Line]:
    kept = cached_prefix(look)
    if kept is None or not count:
        return []
    columns = sum(count * (i + 1) // size <= kept.messages for i in range(size))
    marks = Piece("║".center(plot.group) * columns, "ok")
    told = f"cached prefix ends here: {plural(kept.messages, 'message')}, {kept.tokens:,} tokens"
    if not kept.messages:
        told = f"nothing can be cached: the start differs from batch {kept.batch}"
    elif kept.messages == count:
        told = f"all of it can be cached: it begins as batch {kept.batch} did"
    lead = Piece(" " * plot.axis)
    if len(marks.text) + len(told) + 1 <= plot.room:
        return [[lead, marks, Piece(f" {told}", "muted")]]
    return [[lead, marks], [Piece(told, "muted")]]


def _positions(plot: Plot, count: int, size: int) -> list[tuple[int, Piece]]:
    cells = max(6, len(f"{count}") + 2)
    step = round_step(plot.group * size // cells, count)
    return [(bucket_of(p, count, size), Piece(str(p), "muted")) for p in range(0, count, step)]


# The words and figures of the tokens view: by role, the largest messages, limit and policy.

COUNT_CELLS = 7
TABLE_FIGURE_CELLS = 8
SHARE_CELLS = 7
LEAST_BAR_CELLS = 6
MOST_BAR_CELLS = 24
FULL_TABLE_CELLS = 60


def role_table_lines(look: Look, width: int) -> list[Line]:
    """Return who holds the visible tokens, and what of the raw log that is."""
    figures = look.figures
    sent, log = look.view.column(look.state.log.roles), look.state.log
    raw_codes, raw = log.roles(0, look.log_size), figures.raw_by_role(look.log_size)
    visible_sums = figures.by_role(look.view)
    total = sum(visible_sums)
    rest = max(0, width - NAME_CELLS - COUNT_CELLS - 2 * TABLE_FIGURE_CELLS - SHARE_CELLS - 2)
    with_raw = not look.is_seen and rest - COUNT_CELLS - TABLE_FIGURE_CELLS >= LEAST_BAR_CELLS
    size = min(MOST_BAR_CELLS, rest - (COUNT_CELLS + TABLE_FIGURE_CELLS if with_raw else 0))
    about = f"{printable(look.counter, 20)}{'' if is_exact(look.counter) else ', estimated'}"
    lines = [head("By role", [Piece(about, "faint")], width)]
    shape = f"{'':<{NAME_CELLS}}{'visible':>{COUNT_CELLS}}{'tokens':>{TABLE_FIGURE_CELLS}}"
    shape += f"{'mean':>{TABLE_FIGURE_CELLS}}{'share':>{SHARE_CELLS}}"
    behind = (
        f"{'':<{size + 2}}{'raw':>{COUNT_CELLS}}{'tokens':>{TABLE_FIGURE_CELLS}}"
        if with_raw
        else ""
    )
    lines.append([Piece(shape + behind, "faint")])
    for code, role in enumerate(ROLES):
        count, amount = sent.count(code), visible_sums[code]
        line = [
            Piece(f"{GLYPHS[role]} {role:<{NAME_CELLS - 2}}", role),
            *_figures(count, amount, total),
            Piece(f"  {bar(amount, total, size):<{size}}", role),
        ]
        if with_raw:
            there = raw_codes.count(code)
            line.append(
                Piece(f"{there:>{COUNT_CELLS},}{tokens(raw[code]):>{TABLE_FIGURE_CELLS}}", "muted")
            )
        lines.append(line)
    lines.append([Piece("─" * width, "track")])
    lines.append(_all_visible(look, len(sent), total))
    share = f"{percent(total, sum(raw))} of it visible" if sum(raw) else ""
    if not look.is_seen:
        lines.append(_figure_line("all raw", look.log_size, sum(raw), share))
    count, amount = look.tool_definitions
    if count:
        lines.append(_figure_line("tools", count, amount, "definitions, sent beside"))
    lines += [*_cache_table(look), *_provider(look)]
    return cropped(lines, width)


def _figures(count: int, amount: int, total: int) -> Line:
    mean = tokens(round(amount / count)) if count else "·"
    return [
        Piece(f"{count:>{COUNT_CELLS},}", "text"),
        Piece(f"{tokens(amount):>{TABLE_FIGURE_CELLS}}", "bright"),
        Piece(f"{mean:>{TABLE_FIGURE_CELLS}}{percent(amount, total):>{SHARE_CELLS}}", "muted"),
    ]


def _all_visible(look: Look, count: int, total: int) -> Line:
    limit = look.conversation.settings.token_limit
    line = [
        Piece(f"{'all visible':<{NAME_CELLS}}{count:>{COUNT_CELLS},}", "text"),
        Piece(f"{tokens(total):>{TABLE_FIGURE_CELLS}}", "bright"),
    ]
    if limit is not None:
        over = total > limit
        said = f"   {'! ' if over else ''}{percent(total, limit)} of {tokens(limit)}"
        line.append(Piece(said, "error" if over else "muted"))
    not_counted = look.sizes.not_counted
    if not_counted:
        line += [Piece("   "), WARNING.piece(f"{not_counted:,} parts not counted")]
    return line


def _cache_table(look: Look) -> list[Line]:
    kept = cached_prefix(look)
    if kept is None:
        return []
    share = percent(kept.tokens, look.total)
    rest = len(look.view) - kept.messages
    return [
        _figure_line("cached", kept.messages, kept.tokens, f"{share}, as in batch {kept.batch}"),
        _figure_line("sent again", rest, kept.sent_again, percent(kept.sent_again, look.total)),
    ]


def _figure_line(name: str, count: int | None, amount: int, note: str) -> Line:
    shown = "" if count is None else f"{count:,}"
    return [
        Piece(name + shown.rjust(NAME_CELLS + COUNT_CELLS - len(name)), "muted"),
        Piece(f"{tokens(amount):>{TABLE_FIGURE_CELLS}}", "text"),
        Piece(f"   {note}", "muted"),
    ]


def _provider(look: Look) -> list[Line]:
    """Return what providers said beside what was counted, each with who counted it."""
    figures = provider_figures(look)
    if figures is None:
        return []
    rows = [
        ("lifetime", figures.lifetime, f"{plural(figures.requests, 'request')}, as providers count")
    ]
    newest = figures.newest
    if newest is not None and newest.counted is not None:
        apart = off_by(newest.prompt, newest.counted)
        off = f", provider {apart}" if apart else ""
        rows.insert(0, ("counted then", newest.counted, f"by {printable(look.counter, 20)}{off}"))
    if newest is not None:
        rows.insert(0, ("provider said", newest.prompt, "prompt of the newest request"))
    return [_figure_line(name, None, amount, note) for name, amount, note in rows]


def largest_lines(look: Look, width: int, raw: int | None) -> list[Line]:
    """Return the largest visible messages: where they are, who said them, how much they take."""
    sizes, total = look.sizes, look.total
    if not sizes.largest:
        return [
            head("Largest visible messages", [], width),
            [Piece("Nothing is visible.", "muted")],
        ]
    held = sum(sizes.column[at] for at in sizes.largest)
    count = len(sizes.largest)
    holds = plural(count, "message holds", "messages hold")
    lines = [
        head("Largest visible messages", [Piece(f"{holds} {percent(held, total)}", "faint")], width)
    ]
    places = max(4, len(f"{len(look.view)}") + 1)
    raws = max(5, len(f"{look.log_size}") + 1)
    rest = max(0, width - places - raws)
    lines.append([Piece(f"{'pos':>{places}}{'raw':>{raws}}{'tokens  share':>{rest}}", "faint")])
    peak = sizes.column[sizes.largest[0]]
    size = max(LEAST_BAR_CELLS, min(16, (width - 50) // 2)) if width >= FULL_TABLE_CELLS else 0
    room = max(1, width - places - raws - 8 - size - 1 - TABLE_FIGURE_CELLS - SHARE_CELLS)
    for at in sizes.largest:
        found = look.view[at]
        message = look.state.log[found]
        amount, here = sizes.column[at], found == raw
        lines.append(
            [
                Piece(f"{at:>{places}}", "key" if here else "text"),
                Piece(f"{found:>{raws}}  ", "muted"),
                who(message.role),
                Piece(fit(plain_preview(message), room - 1)),
                Piece(f" {bar(amount, peak, size):<{size}}" if size else "", message.role),
                Piece(f"{amount:>{TABLE_FIGURE_CELLS},}", "bright"),
                Piece(f"{percent(amount, total):>{SHARE_CELLS}}", "muted"),
            ]
        )
    return cropped(lines, width)


def policy_lines(look: Look, width: int) -> list[Line]:
    """Return what the settings say about tokens, and what the engine offers or will offer."""
    settings, total = look.conversation.settings, look.total
    limit, policy = settings.token_limit, settings.compression_config
    said: list[tuple[str, str]] = []
    if limit is None:
        said.append(("No token limit is set.", "muted"))
    elif total > limit:
        over = f"! {total - limit:,} tokens above the limit of {limit:,}."
        said.append((over, "error"))
    else:
        said.append((f"Limit {limit:,}: room for {limit - total:,} more tokens.", "text"))
    if policy.threshold is None or policy.target_tokens is None:
        said.append(("No policy: nothing is offered when the context grows.", "muted"))
    elif not policy.enabled:
        what = f"threshold {policy.threshold:,}, target {policy.target_tokens:,}"
        said.append((f"Policy off ({what}): nothing is offered.", "muted"))
    else:
        said += _offers(look, policy.threshold, policy.target_tokens)
    lines = [head("Limit and policy", [], width)]
    for text, kind in said:
        lines += paragraph(text, width, kind)
    return lines


def _offers(look: Look, threshold: int, target: int) -> list[tuple[str, str]]:
    said = [(f"Policy on: threshold {threshold:,}, target {target:,}.", "text")]
    offers = [one for one in notices_of(look.state, look.revision) if isinstance(one, Offer)]
    if offers:
        said += [(WARNING.text(f"Offered now: {offers[0].operation.sentence()}."), WARNING.kind)]
    elif look.total > threshold:
        above = look.total - threshold
        told = f"{above:,} above the threshold: the next APPEND offers a cut."
        said.append((WARNING.text(told), WARNING.kind))
    elif (offer := next_offer(look)) is not None:
        about = f", about {plural(offer.messages, 'message')} as they are here"
        near = about if offer.messages else ""
        said.append((f"Next offer at {offer.threshold:,}: {offer.operation}.", "text"))
        said.append((f"{offer.left:,} more tokens until then{near}.", "muted"))
    return said


# The tokens view: how they went over the batches, who holds them, message by message.

WIDE_CELLS = 120
LOW_ROWS = 6
MIDDLE_ROWS = 11
HIGH_ROWS = 20
"""How many rows a plot has: at least, where the height is unknown, and at the most."""
ROWS_AROUND = 11
"""Lines of both plots together that are no rows: heads, grounds, labels and the space between."""


def token_lines(look: Look, width: int, height: int = 0, raw: int | None = None) -> list[Line]:
    """Return plots and tables of the tokens; ``raw`` is the message under the cursor.

    Where there is room, the plots stand left and the tables right; ``height`` lets them fill it.
    """
    rows = max(LOW_ROWS, min(HIGH_ROWS, (height - ROWS_AROUND) // 2)) if height else MIDDLE_ROWS
    if width < WIDE_CELLS:
        rows = min(rows, LOW_ROWS + 1)
        over, roles = batch_plot(look, width, rows), role_table_lines(look, width)
        sections = stacked_up(
            # All roles are in sight, also where the plot would push them out.
            *((roles, over) if 0 < height < len(over) + 1 + len(roles) else (over, roles)),
            call_lines(look, width),
            message_plot(look, width, rows, raw),
            largest_lines(look, width, raw),
            policy_lines(look, width),
        )
        return cropped(sections, width)
    right = min(84, width * 4 // 9)
    left = width - right - GUTTER
    plots = stacked_up(batch_plot(look, left, rows), message_plot(look, left, rows, raw))
    tables = stacked_up(
        role_table_lines(look, right),
        call_lines(look, right),
        largest_lines(look, right, raw),
        policy_lines(look, right),
    )
    return beside(plots, tables, left)
