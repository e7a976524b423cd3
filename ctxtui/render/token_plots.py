"""The two plots of the tokens view: over the batches of a path, and message by message."""

from __future__ import annotations

from core.history import Revision
from core.messages import ROLES
from core.state import State
from ctxtui.look import Look, is_on_path
from ctxtui.render.figures import figures_of, sizes_of
from ctxtui.render.lines import Line, Piece, fit_pieces
from ctxtui.render.numbers import tokens
from ctxtui.render.plots import Guide, Plot, Stack
from ctxtui.render.preview import WORDS
from ctxtui.render.sections import head

TOTALS, NAMES = 6, 10
"""How wide a column must be for its total, and for the name of its operation."""
FAR = 3
"""How many times the largest column a level may be; further up it would only flatten the rest."""
ROOMY = 90


def batch_plot(look: Look, width: int, rows: int) -> list[Line]:
    """Return the visible tokens at the end of each batch, its roles on top of each other."""
    state = path_state(look)
    numbers = sampled(state.batch.number + 1, look.batch.number, max(1, width - 8))
    revisions = [_shown(look, state, number) for number in numbers]
    figures = figures_of(look)
    columns = [list(zip(ROLES, figures.by_role(one.view), strict=True)) for one in revisions]
    totals = [sum(amount for _, amount in stack) for stack in columns]
    guides = guides_of(look, max(totals))
    plot = Plot(columns, width, rows, guides=guides)
    if len(columns) > plot.room:
        # The names of the guides take some room as well: fewer batches, once more.
        numbers = sampled(state.batch.number + 1, look.batch.number, plot.room)
        revisions = [_shown(look, state, number) for number in numbers]
        columns = [list(zip(ROLES, figures.by_role(one.view), strict=True)) for one in revisions]
        totals = [sum(amount for _, amount in stack) for stack in columns]
        plot = Plot(columns, width, rows, guides=guides)
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
    if plot.group >= NAMES:
        names = [(i, Piece(_name(one, state), "faint")) for i, one in enumerate(revisions)]
        lines.append(plot.below(names))
    return [fit_pieces(line, width) for line in lines]


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


def guides_of(look: Look, peak: int) -> list[Guide]:
    """Return the limit and the threshold, where the settings have them and they are in reach."""
    settings = look.conversation.settings
    compression, found = settings.compression_config, []
    if compression.enabled and compression.threshold is not None:
        found.append(Guide(compression.threshold, "threshold", "muted", "┈"))
    if settings.token_limit is not None:
        found.append(Guide(settings.token_limit, "limit", "warn"))
    return [guide for guide in found if guide.value <= FAR * peak]


def _shown(look: Look, state: State, number: int) -> Revision:
    """Return a batch as the path left it; the shown one as it is shown."""
    return look.revision if number == look.batch.number else state.on_path(number)


def _legend(columns: list[list[tuple[str, int]]], width: int) -> Line:
    present = [role for role in ROLES if any(dict(stack)[role] for stack in columns)]
    line = [Piece("visible tokens at the end of each" if width >= ROOMY else "at its end", "faint")]
    for role in present:
        line += [Piece("  ■ ", role), Piece(WORDS[role], "muted")]
    return line


def _name(revision: Revision, state: State) -> str:
    operation = state.batches[revision.batch].operation
    return "start" if operation is None else operation.title.lower()


def message_plot(look: Look, width: int, rows: int, raw: int | None) -> list[Line]:
    """Return the tokens of each visible message in the order they are sent.

    Where there are more messages than columns, a column is the largest of its bucket.
    """
    sizes = sizes_of(look)
    count = len(sizes.column)
    at = None if raw is None else look.view.position(raw)
    room = max(1, width - 8)
    columns: list[Stack] = []
    size = min(count, room)
    for i in range(size):
        start, stop = count * i // size, count * (i + 1) // size
        bucket = sizes.column[start:stop]
        peak = max(bucket)
        columns.append([(ROLES[sizes.roles[start + bucket.index(peak)]], peak)])
    plot = Plot(columns, width, rows, widest=5)
    here = None if at is None else min(size - 1, (at * size + size - 1) // count)
    if here is not None and at is not None and count * here // size > at:
        here -= 1
    about = "in the order they are sent"
    if size < count:
        about = f"each column is the largest of {-(-count // size)}"
    lines = [head("Per message", [Piece(about, "faint")], width), *plot.lines()]
    labels = _positions(plot, count, size)
    marked = [] if here is None else [(here, Piece("▲", "key"))]
    lines.append(plot.below([*marked, *labels]))
    if at is not None and raw is not None:
        role = ROLES[sizes.roles[at]]
        said = f"position {at:,}  raw {raw:,}  {sizes.column[at]:,} tokens"
        lines.append([Piece("▲ ", "key"), Piece(f"{WORDS[role]} ", role), Piece(said, "text")])
    elif raw is not None:
        lines.append([Piece(f"▲ raw {raw:,} is hidden here", "faint")])
    return [fit_pieces(line, width) for line in lines]


def _positions(plot: Plot, count: int, size: int) -> list[tuple[int, Piece]]:
    """Return round positions with the columns they stand in."""
    if not count:
        return []
    cells = max(6, len(f"{count}") + 2)
    wanted = max(1, plot.group * size // cells)
    step, power = 1, 1
    while -(-count // step) > wanted:
        step = next((power * d for d in (1, 2, 5) if power * d > step), power * 10)
        power = power * 10 if step == power * 10 else power
    return [(p * size // count, Piece(str(p), "muted")) for p in range(0, count, step)]
