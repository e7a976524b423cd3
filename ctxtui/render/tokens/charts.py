"""The two plots of the tokens view: over the batches of a path, and message by message."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.core.engine.revisions import Revision
from ctxtui.core.engine.state import State
from ctxtui.core.values.models import ROLES
from ctxtui.models.look import Look, is_on_path
from ctxtui.models.token_facts import cached_prefix
from ctxtui.render.message.preview import WORDS
from ctxtui.render.text.labels import bucket_of, round_step
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.sections import cropped, head
from ctxtui.render.tokens.plots import Guide, Plot, Stack, names_width
from ctxtui.words import plural

TOTALS = 7
"""How wide a column must be for its total to stand below."""
FAR = 3
"""How many times the largest column a level may be; further up it would only flatten the rest."""
ROOMY_CELLS = 90
AXIS_CELLS = 9


def batch_plot(look: Look, width: int, rows: int) -> list[Line]:
    """Return the visible tokens at the end of each batch, its roles on top of each other."""
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
    line = [Piece("visible tokens at the end of each  ", "faint")] if width >= ROOMY_CELLS else []
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
    lines += _cache(look, plot, count, size)
    if at is not None and raw is not None:
        role = ROLES[sizes.roles[at]]
        said = f"position {at:,}  raw {raw:,}  {sizes.column[at]:,} tokens"
        lines.append([Piece("▲ ", "key"), Piece(f"{WORDS[role]} ", role), Piece(said, "text")])
    elif raw is not None:
        lines.append([Piece(f"▲ raw {raw:,} is hidden here", "faint")])
    return cropped(lines, width)


def _cache(look: Look, plot: Plot, count: int, size: int) -> list[Line]:
    """Return a mark under each column that a prompt cache keeps, and where that ends."""
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
    """Return round positions with the columns they stand in."""
    cells = max(6, len(f"{count}") + 2)
    step = round_step(plot.group * size // cells, count)
    return [(bucket_of(p, count, size), Piece(str(p), "muted")) for p in range(0, count, step)]
