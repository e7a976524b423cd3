"""One session of the library at length: what is in it, whether it is fit, start and end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxtui.core.curation.digest import Digest, Excerpt, Row
from ctxtui.core.storage import Entry
from ctxtui.models.format_warnings import words_of
from ctxtui.render.entry import problem_lines
from ctxtui.render.library.ribbon import wide_ribbon
from ctxtui.render.library.verdict import alike_lines
from ctxtui.render.message.preview import GLYPHS, WORDS
from ctxtui.render.text.bars import bar
from ctxtui.render.text.choosing import size_of, spread
from ctxtui.render.text.lines import Line, Piece, fit, on_row
from ctxtui.render.text.numbers import ago, tokens
from ctxtui.render.text.sections import cropped, stacked_up
from ctxtui.render.text.severity import ERROR, PASSED, WARNING
from ctxtui.render.text.times import to_the_minute
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible
from ctxtui.words import MOST_NAMED, plural

NAME_CELLS, ROLE_CELLS, COUNT_CELLS, TOKEN_CELLS = 10, 12, 5, 7
EXCERPT_ROWS, SHORT_EXCERPT, NOTE_ROWS, WARNING_ROWS = 5, 2, 8, 8
LEAST_WIDTH = 10
PERSONAL = {"mail": ("mail address", "mail addresses"), "phone": ("phone number", "phone numbers")}
"""What personal data is called, one of it and several."""


class Room(NamedTuple):
    """How tall a preview may be: what tells least goes where there is less room."""

    height: int
    excerpt_rows: int = EXCERPT_ROWS
    has_origin: bool = True
    has_roles: bool = True

    def ways(self) -> Iterator[Room]:
        """Yield this, and ways to need fewer rows."""
        yield self
        yield self._replace(excerpt_rows=SHORT_EXCERPT)
        yield self._replace(has_origin=False)
        yield self._replace(excerpt_rows=SHORT_EXCERPT, has_origin=False)
        yield self._replace(excerpt_rows=SHORT_EXCERPT, has_origin=False, has_roles=False)


def session_lines(
    row: Row,
    now: int,
    width: int,
    *,
    height: int = 0,
    replacing: Sequence[Piece] = (),
    group: Sequence[Row] = (),
) -> list[Line]:
    """Return what is known of a session, as much as fits into some rows; 0 means all of it.

    ``replacing`` says by which key personal data is replaced, ``group`` are those it is alike with.
    """
    if row.entry.problem is not None:
        return problem_lines(row.entry.problem, width)
    lines: list[Line] = []
    for room in Room(height).ways():
        lines = _lines(row, now, width, room, replacing, group)
        if not height or len(lines) <= height:
            break
    return lines


def _lines(
    row: Row, now: int, width: int, room: Room, replacing: Sequence[Piece], group: Sequence[Row]
) -> list[Line]:
    entry, digest = row.entry, row.digest
    sections = [_counts(row, width)]
    if digest is not None:
        last = digest.last if _has_two(entry) else None
        sections += [
            _roles(digest, width) if room.has_roles else [],
            _lint(digest, width),
            _excerpt("It starts with", digest.first, width, room.excerpt_rows),
            _excerpt("It ends with", last, width, room.excerpt_rows),
            _personal(digest, replacing, width),
            alike_lines(row, group, width),
        ]
    origin = _origin(entry, digest, now, width) if room.has_origin else []
    warnings = _warnings(entry, width) if room.has_origin else []
    sections += [origin, warnings, _note(entry, width)]
    return cropped(stacked_up(*sections), width)


def peek_lines(row: Row, width: int) -> list[Line]:
    """Return a session in three lines: how it starts, how it ends, and what is wrong with it."""
    entry, digest = row.entry, row.digest
    if entry.problem is not None:
        return problem_lines(entry.problem, width)
    if digest is None:
        return []
    said = [_said(one, width) for one in (digest.first, digest.last) if one is not None]
    state = _ready(digest)
    if digest.personal:
        state += [Piece("   "), _personal_piece(digest, width - size_of(state) - 3)]
    if entry.note:
        state += [Piece("   note ", "muted"), Piece(visible(entry.note, 200))]
    return cropped([*said[: 2 if _has_two(entry) else 1], state], width)


def _has_two(entry: Entry) -> bool:
    return entry.visible > 1


def _said(excerpt: Excerpt, width: int) -> Line:
    lead = _role_lead(excerpt.role)
    return [*lead, Piece(fit(visible(excerpt.text, 300), width - sum(len(p.text) for p in lead)))]


def _role_lead(role: str) -> Line:
    return [Piece(f"{GLYPHS.get(role, '·')} {WORDS.get(role, role):<5}", role)]


def _counts(row: Row, width: int) -> list[Line]:
    entry = row.entry
    sent = "all sent" if entry.visible >= entry.messages else f"{entry.visible:,} sent"
    left = [Piece(f"{entry.messages:,}", "bright")]
    left.append(Piece(f" message{'' if entry.messages == 1 else 's'}, {sent}", "muted"))
    right = [Piece(tokens(entry.tokens), "bright"), Piece(" tokens", "muted")]
    counts = spread(left, right, width)
    return [counts] if row.digest is None else [wide_ribbon(row.digest.ribbon, width), counts]


def _roles(digest: Digest, width: int) -> list[Line]:
    most = max((one.tokens for one in digest.roles), default=0)
    room = max(0, width - ROLE_CELLS - COUNT_CELLS - TOKEN_CELLS - 3)
    return [
        [
            Piece(fit(f"{GLYPHS.get(one.role, '·')} {one.role}", ROLE_CELLS), one.role),
            Piece(f"{one.messages:>{COUNT_CELLS},}   ", "text"),
            Piece(f"{bar(one.tokens, most, room):<{room}}", one.role),
            Piece(f"{tokens(one.tokens):>{TOKEN_CELLS}}", "text"),
        ]
        for one in digest.roles
        if one.messages
    ]


def _lint(digest: Digest, width: int) -> list[Line]:
    paper = "finding" if digest.errors else "warning" if digest.warnings else ""
    lines = [_ready(digest)]
    if digest.errors or digest.warnings:
        word = "Ready" if digest.trainable else "Not ready"
        lines.append([Piece(f"{word} for fine-tuning export.", "text")])
        rules = ", ".join(digest.rules)
        lines.append([Piece(f"{digest.profile}: {rules}", "muted")])
    return [on_row(line, paper, width) for line in lines] if paper else lines


def _ready(digest: Digest) -> Line:
    """Return what lint finds, or else whether it could be trained on."""
    line: Line = []
    if digest.errors:
        line.append(ERROR.piece(plural(digest.errors, "error")))
    if digest.warnings:
        gap = "  " if line else ""
        line.append(Piece(gap + WARNING.text(plural(digest.warnings, "warning")), WARNING.kind))
    if line:
        return line
    if digest.trainable:
        return [PASSED.piece(), Piece("Ready for fine-tuning export", "text")]
    return [PASSED.piece(), Piece("No findings, but nothing to train on", "text")]


def _excerpt(title: str, excerpt: Excerpt | None, width: int, most: int) -> list[Line]:
    if excerpt is None:
        return []
    lead = _role_lead(excerpt.role)
    indent = sum(len(piece.text) for piece in lead)
    text = " ".join(visible(excerpt.text, 600).split())
    rows = wrap(text or "(empty)", max(LEAST_WIDTH, width - indent))
    if len(rows) > most:
        rows = [*rows[: most - 1], f"{rows[most - 1]} …"]
    lines: list[Line] = [[Piece(title, "muted")], [*lead, Piece(rows[0])]]
    return [*lines, *([Piece(" " * indent), Piece(one)] for one in rows[1:])]


def _personal(digest: Digest, replacing: Sequence[Piece], width: int) -> list[Line]:
    if not digest.personal:
        return []
    first, *more = wrap(_personal_words(digest), max(LEAST_WIDTH, width - len(WARNING.text(""))))
    lines: list[Line] = [[WARNING.piece(first)]]
    lines += [[Piece(f"  {one}", WARNING.kind)] for one in more]
    lines += [[*replacing]] if replacing else []
    return [on_row(line, "warning", width) for line in lines]


def _personal_words(digest: Digest) -> str:
    """Return how much personal data there is, of each kind."""
    kinds = sorted(digest.personal.items())
    return ", ".join(plural(count, *PERSONAL.get(name, (name,))) for name, count in kinds)


def _personal_piece(digest: Digest, width: int) -> Piece:
    """Return the same in one line: in fewer words where there is less room."""
    short = ", ".join(f"{count:,} {name}" for name, count in sorted(digest.personal.items()))
    ways = (_personal_words(digest), short, "personal data", "personal")
    words = next((one for one in ways if len(WARNING.text(one)) <= width), ways[-1])
    return WARNING.piece(words)


def _origin(entry: Entry, digest: Digest | None, now: int, width: int) -> list[Line]:
    format = "" if digest is None else digest.format
    facts = {
        "file": entry.source or "",
        "format": format,
        "imported": to_the_minute(entry.created),
        "changed": ago(entry.updated, now),
        "batches": f"{entry.batches:,}" if entry.batches > 1 else "",
        "fields": "" if digest is None else ", ".join(digest.fields[:MOST_NAMED]),
        "tags": ", ".join(entry.tags),
        "id": entry.id,
    }
    room = max(LEAST_WIDTH, width - NAME_CELLS)
    lines: list[Line] = [[Piece("Where it comes from", "muted")]]
    for name, said in facts.items():
        if said:
            text = visible(said, 300)
            # The end of a path tells more than its beginning.
            text = text if len(text) <= room or name != "file" else f"…{text[1 - room :]}"
            lines.append([Piece(f"{name:<{NAME_CELLS}}", "faint"), Piece(fit(text, room))])
    return lines


def _warnings(entry: Entry, width: int) -> list[Line]:
    """Return what was adapted or left out when the file was read."""
    if not entry.warnings:
        return []
    words = words_of(entry.warnings)
    return [[Piece("Warnings of the import", "muted")], *warning_lines(words, width, WARNING_ROWS)]


def warning_lines(words: Sequence[str], width: int, most: int = 0) -> list[Line]:
    """Return sentences about reading a file, each with a sign; 0 means all of their rows."""
    lines: list[Line] = []
    for one in words:
        first, *more = wrap(visible(one, 4_000), max(LEAST_WIDTH, width - 2))
        lines.append([WARNING.piece(first)])
        lines += [[Piece(f"  {row}")] for row in more]
    if most and len(lines) > most:
        return [*lines[: most - 1], [Piece("…", "faint")]]
    return lines


def _note(entry: Entry, width: int) -> list[Line]:
    if not entry.note:
        return []
    rows = wrap(visible(entry.note, 2_000), max(LEAST_WIDTH, width))
    return [[Piece("Note", "muted")], *([Piece(row)] for row in rows[:NOTE_ROWS])]
