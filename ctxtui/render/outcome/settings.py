"""What settings mean for what is sent: findings by profile, tokens against the limit."""

from __future__ import annotations

from ctxtui.render.outcome.prospect import Held
from ctxtui.render.text.bars import FULL, bar
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.severity import ERROR, PASSED, WARNING
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible
from ctxtui.words import percent, plural

NAME_CELLS = 18
BAR_CELLS = 30


def held_lines(held: Held, width: int) -> list[Line]:
    """Return the tokens against the limit, then what each profile would say."""
    return [*_limit(held, width), [], *_profiles(held)]


def _limit(held: Held, width: int) -> list[Line]:
    limit, total = held.limit, held.tokens
    counter = visible(held.counter, 20)
    lines: list[Line] = [[Piece("The limit", "bright"), Piece(f"   tokens by {counter}", "faint")]]
    if limit is None:
        told = f"now {total:,}; there is no limit. The most a batch has had is {held.highest:,}."
        return [*lines, *([Piece(row)] for row in wrap(told, max(10, width)))]
    room = min(BAR_CELLS, max(4, width - 2))
    text = bar(min(total, limit), limit, room)
    kind = ERROR.kind if total > limit else "bright"
    lines.append([Piece(text, kind), Piece(FULL * (room - len(text)), "track")])
    count = held.batches_above
    batches = f"{plural(count, 'batch', 'batches')} {_was(count)}" if count else "no batch was"
    told = f"now {total:,} of {limit:,}: {percent(total, limit)}; {batches} above {limit:,}"
    return [*lines, *([Piece(row)] for row in wrap(told, max(10, width)))]


def _was(count: int) -> str:
    return "was" if count == 1 else "were"


def _profiles(held: Held) -> list[Line]:
    lines: list[Line] = [
        [Piece("Whose rules apply", "bright"), Piece("   to what is sent now", "faint")]
    ]
    for name, errors, warnings in held.counts:
        is_chosen = name == held.profile
        line = [
            Piece(
                f"{'•' if is_chosen else ' '} {name:<{NAME_CELLS}}",
                "bright" if is_chosen else "text",
            )
        ]
        if errors:
            line.append(ERROR.piece(f"{plural(errors, 'error')}  "))
        if warnings:
            line.append(WARNING.piece(plural(warnings, "warning")))
        if not errors and not warnings:
            line.append(PASSED.piece("passes"))
        lines.append(line)
    return lines
