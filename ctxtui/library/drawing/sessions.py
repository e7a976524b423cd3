"""The sessions of a library: head, rows in columns, search hits, and the preview of one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from rich.cells import cell_len

from ctxtui.calls.models.call import words_of
from ctxtui.core import Conversation
from ctxtui.core.curation.catalog import Hit
from ctxtui.core.curation.digest import Digest, MessageStart, SessionRow
from ctxtui.core.engine.views import View
from ctxtui.core.storage import Entry
from ctxtui.core.storage.entries import number_in_file
from ctxtui.inspector.drawing.head import READ_ONLY, Tab, TabLine
from ctxtui.inspector.models.look import figures_of
from ctxtui.library.models.library import VERDICTS, ReviewProgress, Sort, key_of
from ctxtui.text.icons import ERROR, PASSED, WARNING, Icon
from ctxtui.text.line_source import LineSource, NumberedSource
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
    on_background,
    paragraph,
    spread,
    stacked_up,
    wrap,
)
from ctxtui.text.message import GLYPHS, WORDS
from ctxtui.text.numbers import ago, to_the_minute, tokens
from ctxtui.text.plots import FULL, bar
from ctxtui.text.plurals import MOST_NAMED, plural
from ctxtui.text.ribbon import HIDDEN, SENT, Ribbon, RibbonAxis
from ctxtui.text.symbols import printable

# The signs of the library: what was decided about a session, what lint finds, who is alike.

NEEDS_WORK = Icon("!", "warn")
REJECTED = Icon("✗", "error")
STATUS = {
    "new": Icon("○", "text"),
    "in review": Icon("◐", "text"),
    "needs work": NEEDS_WORK,
    "accepted": PASSED,
    "rejected": REJECTED,
}
"""What was decided, as a sign."""
FIRST, MIDDLE, LAST = "╭", "│", "╰"
"""What joins neighbours that are alike."""


def is_dull(row: SessionRow) -> bool:
    """Return whether no one needs to look at a session any more: its row is grey."""
    return row.entry.status == "rejected" or row.entry.problem is not None


def status_sign(status: str) -> Icon:
    """Return the sign of a status."""
    return STATUS.get(status, STATUS["new"])


def lint_piece(digest: Digest | None) -> Piece:
    """Return what lint finds: the number of errors, or else of warnings, or that there is none."""
    if digest is None:
        return Piece("·", "faint")
    for sign, count in ((ERROR, digest.errors), (WARNING, digest.warnings)):
        if count:
            return Piece(f"{sign.glyph}{min(count, 99)}", sign.kind)
    return Piece(PASSED.glyph, PASSED.kind)


def alike_words(row: SessionRow, before: SessionRow | None, behind: SessionRow | None) -> str:
    """Return who a session is alike with: a bracket joins it with neighbours of its group.

    The first of a stretch says how many there are, the others how alike they are.
    """
    alike = row.duplicate
    if alike is None:
        return ""
    is_below, is_above = _is_of(before, alike.group), _is_of(behind, alike.group)
    bracket = MIDDLE if is_below and is_above else LAST if is_below else FIRST if is_above else " "
    if not is_below:
        return f"{bracket} ≈{alike.size:>2}"
    share = "=" if alike.similarity >= 1 else f"{alike.similarity:.2f}"[1:]
    return f"{bracket} {share:>3}"


def _is_of(row: SessionRow | None, group: int) -> bool:
    return row is not None and row.duplicate is not None and row.duplicate.group == group


# A place that a search found: the session, its message, and the words around what was sought.

RAW_CELLS, INDENT = 8, 4
FOUND_LONGEST = 300
"""Characters around a match that are read."""


def _title_cells(width: int) -> int:
    return max(14, min(32, width // 3))


def _place(hit: Hit) -> str:
    """Return where in its session something is; the name of a field is before its text."""
    if hit.field is not None:
        return "field"
    return "title" if hit.raw is None else str(hit.raw)


def found_row(hit: Hit, row: SessionRow | None, is_first: bool, width: int) -> Line:
    """Return one place; its session is named where it is the first of it in sight."""
    sign = status_sign("new" if row is None else row.entry.status)
    cells = _title_cells(width)
    name = name_line(row.entry, cells) if row is not None and is_first else [Piece(" " * cells)]
    lead: Line = [
        Piece(f"  {sign.glyph} " if is_first else " " * INDENT, sign.kind),
        *name,
        Piece(f"{_place(hit):>{RAW_CELLS - 2}}  ", "faint"),
    ]
    room = max(0, width - INDENT - cells - RAW_CELLS)
    field = "" if hit.field is None else f"{printable(hit.field, 24)}: "
    around: Line = [
        Piece(field, "faint"),
        Piece(hit.before[-FOUND_LONGEST:], "muted"),
        Piece(hit.match[:FOUND_LONGEST], "hit"),
        Piece(hit.after[:FOUND_LONGEST], "muted"),
    ]
    return fit_pieces([*lead, *fit_pieces(around, room)], width)


# The head of the library: where one is, how far the review is, and what is shown.

LEAST_BAR = 6


def library_tabs(
    active: str, folder: str | None, under_way: str, trashed: int | None, width: int
) -> TabLine:
    """Return the tabs of the library, and what is under way or that all that was decided is safe.

    Without a folder, the library is read-only.
    """
    saved = Piece(f"… {under_way} ", "warn") if under_way else PASSED.piece("saved ")
    tabs = [
        Tab("library", "Library", "5"),
        Tab("samples", "Samples", "6"),
        Tab("watch", "Watch", "7"),
        Tab("lessons", "Lessons", "8"),
        Tab("trash", "Trash", "9", amount=f"{trashed:,}" if trashed else "", kind="muted"),
    ]
    if folder is None:
        return TabLine(tabs, active, width, [READ_ONLY], " ctxtui  ")
    end = [Piece(f"{folder[:200]}   ", "muted"), saved]
    line = TabLine(tabs, active, width, end, " ctxtui  ")
    if saved.text in "".join(piece.text for piece in line.line):
        return line
    return TabLine(tabs, active, width, [saved], " ctxtui  ")


def progress_bar(progress: ReviewProgress, width: int) -> Line:
    """Return a bar in the colours of the verdicts on a track of all that is to be reviewed."""
    parts = (
        (progress.accepted, PASSED.kind),
        (progress.rejected, REJECTED.kind),
        (progress.needs_work, NEEDS_WORK.kind),
    )
    whole, seen = max(1, progress.whole), 0
    cells: Line = []
    for count, kind in parts:
        seen += count
        # Something that was decided is never shown as nothing.
        stop = max(round(width * seen / whole), len(cells) + 1) if count else len(cells)
        cells += [Piece(FULL, kind)] * (min(stop, width) - len(cells))
    return joined([*cells, *[Piece("─", "track")] * (width - len(cells))])


def review_line(progress: ReviewProgress, width: int) -> Line:
    """Return how far the review is: in words, as a bar, and by verdict."""
    if not progress.whole:
        return []
    left: Line = [
        Piece(" REVIEW  ", "bright"),
        Piece(f"{progress.reviewed:,}", "bright"),
        Piece(f" of {progress.whole:,} reviewed  ", "text"),
    ]
    counts = [
        (PASSED, progress.accepted, " accepted"),
        (REJECTED, progress.rejected, " rejected"),
        (NEEDS_WORK, progress.needs_work, " need work"),
        (STATUS["new"], progress.to_go, " to go"),
    ]
    if not progress.to_go:
        counts.pop()
    worded: Line = []
    short: Line = []
    for sign, count, word in counts:
        worded += [Piece(f"   {sign.text(f'{count:,}')}", sign.kind), Piece(word, "muted")]
        short.append(Piece(f"  {sign.text(f'{count:,}')}", sign.kind))
    for line in (worded, short):
        line.append(Piece(" "))
    for end in (worded, short):
        room = min(40, width - line_width(left) - line_width(end))
        if room >= LEAST_BAR:
            return [*left, *progress_bar(progress, room), *end]
    return longest([([*left, *short], []), (left, [])], width)


def review_corner(status: str, progress: ReviewProgress) -> Line:
    """Return the verdict on an open session, and how far the review of its library is."""
    sign = status_sign(status)
    verdict = [sign.piece(f"{status}   ")] if status in VERDICTS else []
    return [*verdict, Piece(f"{progress.reviewed:,} of {progress.whole:,} reviewed   ", "muted")]


class ShownSessions(NamedTuple):
    """Which sessions are shown: of how many, by which filter, and what waits to be."""

    sessions: int
    whole: int
    where: str = ""
    newcomers: int = 0


def shown_line(shown: ShownSessions, width: int) -> Line:
    """Return which sessions are shown, and what others have made meanwhile."""
    left: Line = [Piece(" &", "key")]
    if shown.where:
        counts = f"   {shown.sessions:,} of {plural(shown.whole, 'session')}   "
        left += [Piece(f" {shown.where[:200]}", "bright"), Piece(counts, "muted")]
        left += [Piece("esc", "key"), Piece(" shows all", "muted")]
    else:
        left += [Piece(" all ", "muted"), Piece(f"{shown.whole:,}", "text")]
        left.append(Piece(" session" if shown.whole == 1 else " sessions", "muted"))
    if shown.newcomers:
        word = "it" if shown.newcomers == 1 else "them"
        right = [
            Piece(f"{shown.newcomers:,} new, ", "bright"),
            Piece("esc", "key"),
            Piece(f" shows {word} ", "text"),
        ]
    else:
        right = [Piece("order frozen while you work ", "faint")]
    return longest([(left, right), (left, right if shown.newcomers else [])], width)


def sort_words(sort: Sort) -> Line:
    """Return what sessions are sorted by, and which way."""
    return [Piece(f"{sort.column} {'▴' if sort.is_reversed else '▾'}", "muted")]


def sessions_foot(selected: int, is_range: bool, first: int, last: int, whole: int) -> Line:
    """Return how many are selected, and which ones are in sight."""
    seen = f"all {whole:,}" if last - first >= whole else f"{first + 1:,}–{last:,} of {whole:,}"
    chosen = [Piece(f"{selected:,} selected   ", "bright")] if selected else []
    if is_range:
        chosen.append(Piece("v ends the range   ", "text"))
    return [*chosen, Piece(seen, "muted")] if whole else []


# The ribbon of a session that is not open: drawn from the letters its digest keeps.

HALF = "▄"
"""A ribbon in a list is half a row high, so that it does not stick to the title below it."""
ROLES = {"s": "system", "u": "user", "a": "assistant", "t": "tool"}


def mini_ribbon(letters: str, width: int, *, is_dull: bool = False) -> Line:
    """Return letters as a ribbon for a list: all grey where no one needs to look any more."""
    if is_dull:
        return [Piece(HALF * width, "dim")] if letters else [Piece(" " * width)]
    return _ribbon(letters, width, HALF)


def _ribbon(letters: str, width: int, sent: str) -> Line:
    if not letters or width <= 0:
        return [Piece(" " * max(0, width))]
    cells = (letters[at * len(letters) // width] for at in range(width))
    return joined([_cell(letter, sent) for letter in cells])


def _cell(letter: str, sent: str) -> Piece:
    role = ROLES.get(letter.lower(), "tool")
    return Piece(sent, role) if letter.isupper() else Piece(HIDDEN, "faint")


# Names of sessions in little room: what distinguishes them stays.

NAME_LONGEST = 200
FILE_FROM = 56
"""Cells from which on the file is named behind the first words, not only the number in it."""
KEPT = 20_000
"""Names whose width is cached, since all are asked for at each step."""
MOST_WANTED = 60
"""Cells beyond which no column gives way to a name."""
END = re.compile(r"( \(\d+ of \d+\)| \((?:copy|squashed|recovered)\)| #\d+)+$")
"""What programs put behind a title to distinguish it from others."""


def short_title(title: str, width: int) -> str:
    """Return a title in exactly so many cells; one that is too long keeps its number."""
    text = printable(title, NAME_LONGEST)
    if cell_len(text) <= width:
        return fit(text, width)
    end = END.search(text)
    room = width - (0 if end is None else cell_len(end[0]))
    if end is None or room <= 1:
        return fit(text, width)
    return fit(text[: end.start()], room) + end[0]


def name_line(entry: Entry, width: int, kind: str = "text", *, is_of_many: bool = False) -> Line:
    """Return what a session is called, in exactly so many cells.

    Where that is its first words, its file is at the right if it fits next to all of them, else
    its number in the file.
    """
    if entry.name == entry.title:
        return [Piece(short_title(entry.title, width), kind)]
    number = number_in_file(entry.title, entry.source) or ("#1" if is_of_many else "")
    file = printable(entry.title, NAME_LONGEST)
    words = printable(entry.name, NAME_LONGEST)
    is_room = width >= max(FILE_FROM, cell_len(words) + 2 + cell_len(file))
    about = file if is_room else number
    room = width - cell_len(about) - 2
    if not about or room < 1:
        return [Piece(fit(words, width), kind)]
    return [Piece(fit(words, room), kind), Piece(f"  {about}", "muted")]


@lru_cache(maxsize=KEPT)
def wanted_cells(name: str, title: str) -> int:
    """Return how many cells the name of a session would fill, with a number behind it."""
    number = "" if name == title else "  #999"
    return min(MOST_WANTED, cell_len(printable(name, NAME_LONGEST) + number))


# Whom a verdict is for: said before the keys that give one, at the foot of the preview.

MOST_TITLES, MOST_ALIKE = 3, 4
KEYS = (("+", "accept", PASSED), ("-", "reject", REJECTED), ("!", "needs work", NEEDS_WORK))


class NewestUndo(NamedTuple):
    """What u would undo: what was done, in a word, and to what."""

    word: str
    title: str


def verdict_lines(
    chosen: Sequence[SessionRow], newest: NewestUndo | None, width: int
) -> list[Line]:
    """Return whom a verdict is for, its keys, and what would be undone."""
    lines: list[Line] = []
    if chosen:
        lines += [*_chosen(chosen, width), []]
    for_whom = "verdict"
    if chosen:
        for_whom = "verdict for it" if len(chosen) == 1 else f"verdict for the {len(chosen):,}"
    words = f"{for_whom}, then the next"
    lines.append([Piece(f"{words} ", "muted"), Piece("─" * (width - len(words) - 1), "track")])
    keys: Line = []
    for key, word, sign in KEYS:
        gap = Piece("  " if keys else "")
        keys += [
            gap,
            Piece(f" {key} ", on_background(sign.kind, "select")),
            Piece(f" {word}", sign.kind),
        ]
    lines.append(keys)
    if newest is not None:
        what = Piece(f"{newest.word}: ", "muted")
        if newest.word in VERDICTS:
            what = status_sign(newest.word).piece()
        lead = [Piece("u", "key"), Piece("  takes back ", "muted"), what]
        lines.append([*lead, Piece(short_title(newest.title, max(1, width - line_width(lead))))])
    return cropped(lines, width)


def _chosen(chosen: Sequence[SessionRow], width: int) -> list[Line]:
    """Return who is selected, and what is odd about it."""
    lines: list[Line] = [head(f"{len(chosen):,} selected", [], width)]
    lines += [name_line(row.entry, width) for row in chosen[:MOST_TITLES]]
    if len(chosen) > MOST_TITLES:
        lines.append([Piece(f"and {len(chosen) - MOST_TITLES:,} more", "muted")])
    split = split_groups(chosen)
    if split:
        lines.append(_two_verdicts(split[0]))
    return lines


def alike_lines(row: SessionRow, group: Sequence[SessionRow], width: int) -> list[Line]:
    """Return the others of a session's group, and that two verdicts in it don't agree."""
    others = [one for one in group if one.entry.id != row.entry.id]
    if not others:
        return []
    lines: list[Line] = [[Piece("Alike", "muted")]]
    for one in others[:MOST_ALIKE]:
        lines.append([status_sign(one.entry.status).piece(), *name_line(one.entry, width - 2)])
    if len(others) > MOST_ALIKE:
        lines.append([Piece(f"and {len(others) - MOST_ALIKE:,} more", "muted")])
    split = split_groups(group)
    if split:
        lines.append(filled_row(_two_verdicts(split[0]), "warning", width))
    return lines


def _two_verdicts(verdicts: Sequence[str]) -> Line:
    """Return that sessions of a group were decided differently, with the sign of each verdict."""
    line: Line = []
    for verdict in verdicts:
        line += [*([Piece("and ", "muted")] if line else []), status_sign(verdict).piece()]
    return [*line, Piece("in one group of duplicates", "text")]


def split_groups(rows: Sequence[SessionRow]) -> list[tuple[str, ...]]:
    """Return the verdicts of each group of duplicates that was not decided in one way."""
    found: dict[int, set[str]] = {}
    for row in rows:
        if row.duplicate is not None:
            found.setdefault(row.duplicate.group, set()).add(row.entry.status)
    given = [tuple(one for one in VERDICTS if one in statuses) for statuses in found.values()]
    return [verdicts for verdicts in given if len(verdicts) > 1]


# What a library says that has no sessions, or can't be read.


def problem_lines(sentence: str, width: int) -> list[Line]:
    """Return why something can't be read."""
    return paragraph(printable(ERROR.text(sentence), 1_000), width, ERROR.kind)


ABOUT = (
    "ctxtui shows what your agent remembers: every message of a conversation, what is still sent "
    "to the model, and which operation hid the rest."
)
LEAST_SHELL = 100
"""Cells from which on the commands of a shell are named, too."""
WAYS_IN = (
    ("i", "Open", "a file: transcript, request or data set", "ctxtui chat.jsonl"),
    (
        "7",
        "Record",
        "each call of your own agent, and watch it",
        "ctxtui capture -- python agent.py",
    ),
    ("8", "Learn", "what a context is and how it breaks", "ctxtui learn"),
)


def welcome_lines(conversation: Conversation | None, may_write: bool, width: int) -> list[Line]:
    """Return what this tool is, a sample as two ribbons, and the ways in."""
    if conversation is None:
        ways = "n makes a session, i imports a file." if may_write else "n makes a session."
        return [[Piece(f"The library is empty. {ways}", "text")]]
    log, weights = conversation.log, figures_of(conversation, conversation.moment)
    views = {"said": View.of_runs([(0, len(log))]), "sent": conversation.view}
    ribbons = []
    for name, view in views.items():
        end = f" {len(view):>6,} messages"
        axis = RibbonAxis(len(log), max(1, width - NAME_CELLS - len(end)))
        cells = Ribbon(log, weights, view).line(axis)
        lead = Piece(f"{name:<{NAME_CELLS}}", "muted")
        ribbons.append([lead, *cells, Piece(end, "muted")])
    return [
        *paragraph(ABOUT, width, "bright"),
        [],
        *ribbons,
        [],
        *(_way_in(*way, width) for way in WAYS_IN if may_write or way[0] == "8"),
    ]


def _way_in(key: str, name: str, about: str, command: str, width: int) -> Line:
    line: Line = [
        Piece(f"{key}  ", "key"),
        Piece(f"{name:<8}", "bright"),
        Piece(f"{about}  ", "text"),
    ]
    if width < LEAST_SHELL:
        return line
    return spread(
        line, [Piece("or in a shell  ", "muted"), Piece(f"{command:<34}", "bright")], width
    )


# One session of the library at length: what is in it, whether it is fit, start and end.

NAME_CELLS, ROLE_CELLS, COUNT_CELLS, TOKEN_CELLS = 10, 12, 5, 7
SHORT_EXCERPT = 2
LEAST_WIDTH = 10
PERSONAL = {"mail": ("mail address", "mail addresses"), "phone": ("phone number", "phone numbers")}
"""What personal data is called, one of it and several."""


class PreviewSize(NamedTuple):
    """How tall a preview may be: what matters least goes where there is less room."""

    height: int
    excerpt_rows: int = 5
    has_origin: bool = True
    has_roles: bool = True

    def ways(self) -> Iterator[PreviewSize]:
        """Yield this, and ways to need fewer rows."""
        yield self
        yield self._replace(excerpt_rows=SHORT_EXCERPT)
        yield self._replace(has_origin=False)
        yield self._replace(excerpt_rows=SHORT_EXCERPT, has_origin=False)
        yield self._replace(excerpt_rows=SHORT_EXCERPT, has_origin=False, has_roles=False)


def session_lines(
    row: SessionRow,
    now: int,
    width: int,
    *,
    height: int = 0,
    replacing: Sequence[Piece] = (),
    group: Sequence[SessionRow] = (),
) -> list[Line]:
    """Return what is known of a session, as much as fits into some rows; 0 means all of it.

    ``replacing`` says by which key personal data is replaced, ``group`` are those it is alike with.
    """
    if row.entry.problem is not None:
        return problem_lines(row.entry.problem, width)
    lines: list[Line] = []
    for room in PreviewSize(height).ways():
        lines = _lines(row, now, width, room, replacing, group)
        if not height or len(lines) <= height:
            break
    return lines


def _lines(
    row: SessionRow,
    now: int,
    width: int,
    room: PreviewSize,
    replacing: Sequence[Piece],
    group: Sequence[SessionRow],
) -> list[Line]:
    entry, digest = row.entry, row.digest
    sections = [_counts(row, width)]
    if digest is not None:
        last = digest.last if _has_two(entry) else None
        sections += [
            _roles(digest, width) if room.has_roles else [],
            _preview_lint(digest, len(words_of(entry.warnings)), width),
            _excerpt("It starts with", digest.first, width, room.excerpt_rows),
            _excerpt("It ends with", last, width, room.excerpt_rows),
            _personal(digest, replacing, width),
            alike_lines(row, group, width),
        ]
    origin = _origin(entry, digest, now, width) if room.has_origin else []
    warnings = _warnings(entry, width) if room.has_origin else []
    sections += [origin, warnings, _note(entry, width)]
    return cropped(stacked_up(*sections), width)


def peek_lines(row: SessionRow, width: int) -> list[Line]:
    """Return a session in three lines: how it starts, how it ends, and what is wrong with it."""
    entry, digest = row.entry, row.digest
    if entry.problem is not None:
        return problem_lines(entry.problem, width)
    if digest is None:
        return []
    said = [_said(one, width) for one in (digest.first, digest.last) if one is not None]
    state = _ready(digest, len(words_of(entry.warnings)))
    if digest.personal:
        state += [Piece("   "), _personal_piece(digest, width - line_width(state) - 3)]
    if entry.note:
        state += [Piece("   note ", "muted"), Piece(entry.note[:200])]
    return cropped([*said[: 2 if _has_two(entry) else 1], state], width)


def _has_two(entry: Entry) -> bool:
    return entry.visible > 1


def _said(excerpt: MessageStart, width: int) -> Line:
    lead = _role_lead(excerpt.role)
    return [*lead, Piece(fit(excerpt.text[:300], width - line_width(lead)))]


def _role_lead(role: str) -> Line:
    return [Piece(f"{GLYPHS.get(role, '·')} {WORDS.get(role, role):<5}", role)]


def _counts(row: SessionRow, width: int) -> list[Line]:
    entry = row.entry
    sent = "all sent" if entry.visible >= entry.messages else f"{entry.visible:,} sent"
    left = [Piece(f"{entry.messages:,}", "bright")]
    left.append(Piece(f" message{'' if entry.messages == 1 else 's'}, {sent}", "muted"))
    right = [Piece(tokens(entry.tokens), "bright"), Piece(" tokens", "muted")]
    counts = spread(left, right, width)
    return [counts] if row.digest is None else [_ribbon(row.digest.ribbon, width, SENT), counts]


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


def _preview_lint(digest: Digest, adapted: int, width: int) -> list[Line]:
    paper = "finding" if digest.errors else "warning" if digest.warnings else ""
    lines = [_ready(digest, adapted)]
    if digest.errors or digest.warnings:
        if not (adapted and digest.trainable):
            word = "Ready" if digest.trainable else "Not ready"
            lines.append([Piece(f"{word} for fine-tuning export.", "text")])
        rules = ", ".join(digest.rules)
        lines.append([Piece(f"{digest.profile}: {rules}", "muted")])
    return [filled_row(line, paper, width) for line in lines] if paper else lines


def _ready(digest: Digest, adapted: int) -> Line:
    """Return what lint finds, or what the import changed, or else whether it could be trained on.

    ``adapted`` is how many warnings the import gave: then nobody is told that all is well.
    """
    line: Line = []
    if digest.errors:
        line.append(ERROR.piece(plural(digest.errors, "error")))
    if digest.warnings:
        gap = "  " if line else ""
        line.append(Piece(gap + WARNING.text(plural(digest.warnings, "warning")), WARNING.kind))
    if adapted:
        gap = "  " if line else ""
        words = plural(adapted, "import warning")
        line.append(Piece(gap + WARNING.text(words), WARNING.kind))
    if line:
        return line
    if digest.trainable:
        return [PASSED.piece(), Piece("Ready for fine-tuning export", "text")]
    return [PASSED.piece(), Piece("No findings, but nothing to train on", "text")]


def _excerpt(title: str, excerpt: MessageStart | None, width: int, most: int) -> list[Line]:
    if excerpt is None:
        return []
    lead = _role_lead(excerpt.role)
    indent = line_width(lead)
    text = " ".join(printable(excerpt.text, 600).split())
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
    return [filled_row(line, "warning", width) for line in lines]


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
    lines: list[Line] = [[Piece("Origin", "muted")]]
    for name, said in facts.items():
        if said:
            text = printable(said, 300)
            # The end of a path is more useful than its beginning.
            text = text if len(text) <= room or name != "file" else f"…{text[1 - room :]}"
            lines.append([Piece(f"{name:<{NAME_CELLS}}", "faint"), Piece(fit(text, room))])
    return lines


def _warnings(entry: Entry, width: int) -> list[Line]:
    if not entry.warnings:
        return []
    words = words_of(entry.warnings)
    return [[Piece("Warnings of the import", "muted")], *warning_lines(words, width, 8)]


def warning_lines(words: Sequence[str], width: int, most: int = 0) -> list[Line]:
    """Return sentences about reading a file, each with a sign; 0 means all of their rows."""
    lines: list[Line] = []
    for one in words:
        lines += hanging([WARNING.piece("")], one[:4_000], width)
    if most and len(lines) > most:
        return [*lines[: most - 1], [Piece("…", "faint")]]
    return lines


def _note(entry: Entry, width: int) -> list[Line]:
    if not entry.note:
        return []
    return [[Piece("Note", "muted")], *paragraph(entry.note[:2_000], width)[:8]]


# A row of the library: one line for a session, in as many columns as there is room for.

MARK_CELLS = 2
SMALL_CELLS = 70
"""Cells of a row below which a title gets along with fewer."""
LONG_RIBBON, RIBBON, SHORT_RIBBON = 36, 18, 10
FORMAT_CELLS, TAGS_CELLS = 11, 14
LONG_CELLS, SHORT_CELLS = 150, 84
"""Cells of a row from which on the ribbon is longer, and below which it is shorter."""


class RowContext(NamedTuple):
    """What a row is drawn with: its neighbours, whether it is selected, the time, the cursor."""

    before: SessionRow | None
    behind: SessionRow | None
    is_selected: bool
    now: int
    is_here: bool = False
    is_of_many: bool = False
    """Whether its file holds other conversations, too."""


class ColumnNeeds(NamedTuple):
    """How many cells titles, formats and tags of some sessions would fill."""

    title: int = 0
    format: int = FORMAT_CELLS
    tags: int = TAGS_CELLS


def needs_of(rows: Iterable[SessionRow]) -> ColumnNeeds:
    """Return what titles, formats and tags of sessions would fill, as far as that is known."""
    title = format = tags = 0
    for row in rows:
        title = max(title, wanted_cells(row.entry.name, row.entry.title))
        format = max(format, FORMAT_CELLS if row.digest is None else len(row.digest.format))
        if row.entry.tags:
            tags = max(tags, cell_len(_tag_words(row)))
    return ColumnNeeds(title, format, tags)


class SessionColumn(NamedTuple):
    """A column: what it shows, its cells with the space before it, and its title."""

    name: str
    cells: int
    rank: int
    """How long it stays in a narrow list: the highest is dropped first."""
    is_left: bool = False
    title: str = ""


def _column_pieces(name: str, row: SessionRow, context: RowContext, cells: int) -> Sequence[Piece]:
    """Return what a column shows of a session, in exactly so many cells."""
    entry, digest = row.entry, row.digest
    text, kind = "", "text"
    match name:
        case "ribbon":
            letters = "" if digest is None else digest.ribbon
            return [Piece(" "), *mini_ribbon(letters, cells - 1, is_dull=is_dull(row))]
        case "status":
            icon = status_sign(entry.status)
            word = entry.status if cells > len("  x ") else ""
            return [Piece(fit(f"  {icon.text(word)}", cells), icon.kind)]
        case "lint":
            piece = lint_piece(digest)
            return [Piece(f"{piece.text:>{cells}}", piece.kind)]
        case "alike":
            words = alike_words(row, context.before, context.behind)
            return [Piece(f"{words:>{cells}}", "warn" if words and words[0] != " " else "muted")]
        case "format" | "tags":
            text = _tag_words(row) if name == "tags" else "" if digest is None else digest.format
            kind = "faint" if is_dull(row) else "muted"
            return [Piece("  "), Piece(fit(text[:200], cells - 2), kind)]
        case "messages":
            text = f"{entry.messages:,}"
        case "sent" if entry.visible >= entry.messages:
            text, kind = "all", "faint"
        case "sent":
            text, kind = f"{entry.visible:,}", "bright"
        case "batches":
            text, kind = f"{entry.batches:,}", "muted"
        case "tokens":
            text = tokens(entry.tokens)
        case "updated":
            text, kind = ago(entry.updated, context.now), "faint"
    return [Piece(f"{text:>{cells}}", "faint" if is_dull(row) else kind)]


def _tag_words(row: SessionRow) -> str:
    return ", ".join(row.entry.tags)


COLUMNS = (
    SessionColumn("ribbon", 1 + RIBBON, 4, is_left=True, title="what is in it"),
    SessionColumn("format", 2 + FORMAT_CELLS, 8, is_left=True),
    SessionColumn("messages", 6, 2, title="msgs"),
    SessionColumn("sent", 6, 5),
    SessionColumn("batches", 9, 10),
    SessionColumn("tokens", 7, 3),
    SessionColumn("lint", 6, 1),
    SessionColumn("alike", 6, 6),
    SessionColumn("status", 14, 0, is_left=True),
    SessionColumn("tags", 2 + TAGS_CELLS, 7, is_left=True),
    SessionColumn("updated", 10, 9),
)
"""The columns after the title, from left to right."""


ANY = ColumnNeeds()
"""When the sessions are unknown."""


class RowLayout(NamedTuple):
    """The columns for a width: the cells of the title, and the columns after it."""

    title: int
    columns: tuple[SessionColumn, ...]


@lru_cache(maxsize=64)
def layout_of(width: int, needs: ColumnNeeds = ANY) -> RowLayout:
    """Return the columns that fit next to a readable title: the least important are dropped first.

    Spare cells are the title's; tags have a column if a session has tags.
    """
    room = width - MARK_CELLS - 1
    fitted = [_fitted(one, needs) for one in (_ribbon_column(width), *COLUMNS[1:])]
    fitted = [one for one in fitted if one.cells]
    spare = fitted[0].cells - 1 - SHORT_RIBBON
    while fitted and room - sum(one.cells for one in fitted) + spare < _least_title(width, needs):
        dropped = max(fitted, key=lambda one: one.rank)
        fitted.remove(dropped)
        spare = 0 if dropped.name == "ribbon" else spare
    title = room - sum(one.cells for one in fitted)
    given = min(spare, max(0, max(needs.title, _least_title(width, needs)) - title))
    if given:
        ribbon, cells = fitted[0], fitted[0].cells - given
        word = ribbon.title if len(ribbon.title) < cells else "in it"
        fitted[0] = ribbon._replace(cells=cells, title=word)
    return RowLayout(max(0, title + given), tuple(fitted))


def _least_title(width: int, needs: ColumnNeeds) -> int:
    """Return how many cells a name has before a column gives way to it."""
    if width < SMALL_CELLS:
        return 18
    return 24 if width < SHORT_CELLS else min(max(24, needs.title), 32)


def _fitted(column: SessionColumn, needs: ColumnNeeds) -> SessionColumn:
    """Return a column with as many cells as it needs; none for tags if there are none."""
    if column.name == "format":
        return column._replace(cells=2 + min(FORMAT_CELLS, max(len(column.name), needs.format)))
    if column.name == "tags":
        cells = 2 + min(TAGS_CELLS, max(len(column.name), needs.tags))
        return column._replace(cells=cells if needs.tags else 0)
    return column


def _ribbon_column(width: int) -> SessionColumn:
    """Return the column of the ribbon, which is longer or shorter with the width."""
    if width < SHORT_CELLS:
        return COLUMNS[0]._replace(title="in it", cells=1 + SHORT_RIBBON)
    return COLUMNS[0]._replace(cells=1 + (LONG_RIBBON if width >= LONG_CELLS else RIBBON))


def head_row(width: int, needs: ColumnNeeds = ANY) -> Line:
    """Return the names of the columns."""
    layout = layout_of(width, needs)
    words = [" " * MARK_CELLS + "title".ljust(layout.title)]
    for one in layout.columns:
        name = (one.title or one.name)[: one.cells - 1]
        lead = " " if one.name == "ribbon" else "  "
        words.append(f"{lead}{name}".ljust(one.cells) if one.is_left else name.rjust(one.cells))
    return [Piece("".join(words)[:width], "faint")]


def session_row(row: SessionRow, beside: RowContext, width: int, needs: ColumnNeeds = ANY) -> Line:
    """Return one session."""
    layout = layout_of(width, needs)
    mark = Piece(f"{PASSED.glyph} " if beside.is_selected else "  ", "key")
    kind = "bright" if beside.is_here else "faint" if is_dull(row) else "text"
    title = name_line(row.entry, layout.title, kind, is_of_many=beside.is_of_many)
    if row.entry.problem is not None:
        rest = width - MARK_CELLS - layout.title
        return [mark, *title, Piece(fit("  " + ERROR.text("can't be read"), rest), ERROR.kind)]
    line = [mark, *title]
    for column in layout.columns:
        line += _column_pieces(column.name, row, beside, column.cells)
    return line


class SessionRowSource(LineSource):
    """A line for every session, in the order given; rows may be filled in later."""

    def __init__(
        self,
        rows: Sequence[SessionRow],
        now: int,
        selected: Collection[int] = (),
        places: Mapping[int, int] | None = None,
    ) -> None:
        self.rows = rows
        self.now = now
        self.selected = selected
        if places is None:
            places = {key_of(row.entry.id): at for at, row in enumerate(rows)}
        self._places = places
        self._needs = needs_of(rows)
        self._of_many = {
            (row.entry.source, row.entry.content)
            for row in rows
            if row.entry.part and row.entry.source
        }

    def key(self, at: int) -> int:
        return key_of(self.rows[at].entry.id)

    def find(self, key: int) -> int | None:
        return self._places.get(key)

    def __len__(self) -> int:
        return len(self.rows)

    def header(self, width: int) -> Line | None:
        return head_row(width, self._needs)

    def column_at(self, x: int, width: int) -> str:
        """Return which column is so many cells from the left."""
        layout = layout_of(width, self._needs)
        stop, name = MARK_CELLS + layout.title, "title"
        for column in layout.columns:
            if x < stop:
                break
            stop, name = stop + column.cells, column.name
        return name

    def line(self, at: int, width: int) -> Line:
        rows = self.rows
        before = rows[at - 1] if at else None
        behind = rows[at + 1] if at + 1 < len(rows) else None
        chosen = self.key(at) in self.selected
        entry = rows[at].entry
        is_of_many = (entry.source, entry.content) in self._of_many
        beside = RowContext(before, behind, chosen, self.now, at == self.cursor, is_of_many)
        return session_row(rows[at], beside, width, self._needs)


# What a search found in all sessions: a line for each place, with the words around it.


class SearchHitSource(NumberedSource):
    """A line for every place that was found; the title is where a session begins."""

    def __init__(self, hits: Sequence[Hit], known: Mapping[str, SessionRow]) -> None:
        self.hits = hits
        self.known = known

    def __len__(self) -> int:
        return len(self.hits)

    def header(self, width: int) -> Line | None:
        names = f"    {'session':<{_title_cells(width)}}{'raw':>{RAW_CELLS - 2}}  "
        return [Piece(names, "faint")]

    def line(self, at: int, width: int) -> Line:
        hit = self.hits[at]
        is_first = at in (0, self.top) or self.hits[at - 1].id != hit.id
        return found_row(hit, self.known.get(hit.id), is_first, width)
