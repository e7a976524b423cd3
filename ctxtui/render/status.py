"""The status line: batch, counts, lint, and the tokens against the limit."""

from __future__ import annotations

from collections.abc import Iterator

from ctxtui.core.engine.tokens import is_exact
from ctxtui.models.look import Look
from ctxtui.render.text.bars import gauge
from ctxtui.render.text.choosing import longest
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.severity import ERROR, PASSED, WARNING
from ctxtui.render.viewed import viewed
from ctxtui.words import percent, plural

GAUGES = (24, 16, 10)


def status(look: Look, width: int) -> Line:
    """Return where the conversation stands, in as many words as there is room for."""
    return longest(_ways(look), width)


def _ways(look: Look) -> Iterator[tuple[Line, Line]]:
    start = [*place(look), Piece("   "), *_counts(look, " raw")]
    profile = look.conversation.settings.profile
    yield [*start, *lint(look, profile)], amount(look, GAUGES[0], has_counter=True)
    for cells in GAUGES:
        yield [*start, *lint(look)], amount(look, cells, has_counter=True)
    yield [*start, *lint(look)], amount(look, GAUGES[-1])
    brief = [*place(look), Piece("   "), *_counts(look), *lint(look, is_short=True)]
    yield brief, amount(look, GAUGES[-1])
    yield brief, amount(look, 0)
    yield [*place(look), Piece("  "), *lint(look, is_short=True)], amount(look, 0)


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
