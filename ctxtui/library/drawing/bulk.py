"""Many sessions at once, before anything is done: tabs, hits, trials, groups and figures."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import accumulate, pairwise

from rich.cells import cell_len

from ctxtui.core.curation.replacing import EVERYWHERE, OTHER_ROLES, PURGE
from ctxtui.core.curation.texts import REACHED
from ctxtui.core.curation.verdicts import DuplicateGroup, Duplicates, Member
from ctxtui.core.engine.messages import Message
from ctxtui.core.storage import Entry
from ctxtui.inspector.drawing.head import Tab, TabLine
from ctxtui.library.drawing.sessions import name_line, wanted_cells
from ctxtui.library.models.data_set import ExportPreview
from ctxtui.library.models.replacing import (
    DryRun,
    HitPlace,
    ReplaceChoice,
    ReplaceFigures,
    SessionHits,
)
from ctxtui.library.models.steps import (
    MessagePair,
    SessionTrial,
    Size,
    TextPair,
    Trials,
    rows_of,
)
from ctxtui.text.code import MOST_CHARACTERS, code_lines
from ctxtui.text.icons import BOXES, ERROR, PASSED
from ctxtui.text.line_source import NumberedSource, RowBlock
from ctxtui.text.lines import (
    GUTTER,
    LEAST_PATH,
    Line,
    Piece,
    beside,
    chopped,
    cropped,
    cut_line,
    fit,
    flow,
    hanging,
    line_width,
    on_background,
    paragraph,
    wrap,
)
from ctxtui.text.message import GLYPHS, WORDS
from ctxtui.text.numbers import change
from ctxtui.text.numbers import tokens as short
from ctxtui.text.plots import bar
from ctxtui.text.plurals import percent, plural
from ctxtui.text.symbols import printable
from ctxtui.text.word_diff import Edit

TITLES = {
    "replace": ("%", "Replace"),
    "apply": ("a", "Apply"),
    "export": ("e", "Export"),
    "duplicates": ("=", "Duplicates"),
}
"""The tabs: the key and the title of each."""


def bulk_tabs(active: str, end: Line, width: int) -> TabLine:
    """Return the tabs of what can be done to many sessions."""
    tabs = [Tab(name, title, key) for name, (key, title) in TITLES.items()]
    lead = [Piece(" Library › ", "muted")] if width >= LEAST_PATH else ""
    return TabLine(tabs, active, width, end, lead)


def bulk_head(active: str, count: int, progress: str, width: int) -> Line:
    """Return the tabs, how many sessions they are about, and that nothing is done yet."""
    sessions = Piece(f"{plural(count, 'session')}  ", "bright")
    if progress:
        state = [Piece(f"{progress} ", "warn")]
        ends = [[sessions, *state], state]
    else:
        until = "written" if active == "export" else "changed"
        dry_run = Piece(" dry run ", "chip")
        ends = [[sessions, dry_run, Piece(f" nothing is {until} until ctrl+s ", "muted")]]
        ends += [[sessions, dry_run], [sessions]]
    room = width - bulk_tabs(active, [], width).places[-1][1]
    end = next((one for one in ends if line_width(one) < room), [])
    return bulk_tabs(active, end, width).line


# A data set before it is written: how many records, which files, and what is left out.

NAME = 200
BEFORE = 21
"""How many cells a name and a figure take."""


def export_lines(preview: ExportPreview, is_forced: bool, width: int) -> list[Line]:
    """Return what would be written, and where."""
    plan = preview.plan
    train, validation = len(plan.of("train")), len(plan.of("validation"))
    whole = max(1, train + validation)
    rows = [("train" if plan.order.ratio is not None else "records", train)]
    rows += [("validation", validation)] if plan.order.ratio is not None else []
    lines: list[Line] = [
        [
            Piece(f"{name:<12}", "muted"),
            Piece(f"{count:>7,}  ", "bright"),
            Piece(bar(count, whole, max(1, min(24, width - BEFORE))), "bar"),
        ]
        for name, count in rows
    ]
    if plan.left_out:
        about = ("listed with the reason of each", "listed")
        lines.append(_counted("left out", len(plan.left_out), "warn", about, width))
    if plan.several and plan.order.ratio is not None:
        about = ("duplicates, on one side of the split", "not split")
        lines.append(_counted("alike", plan.several, "bright", about, width))
    for group in plan.conflicting[:3]:
        names = printable(", ".join(one.entry.name for one in group[:3]), NAME)
        lines += paragraph(f"▲ two verdicts: {names}", width, "warn")
    lines.append([])
    for name, is_there in preview.files:
        sign, kind = ("▲ ", "warn") if is_there else ("→ ", "ok")
        lines += hanging([Piece(sign, kind)], name[:NAME], width, "bright")
        if is_there:
            word = "would be written over" if is_forced else "is there already; nothing is written"
            lines.append([Piece(f"  {word}", kind)])
    return lines


def record_lines(record: str, width: int) -> list[Line]:
    """Return a record as it would be written; JSON on one line is laid out."""
    if not record:
        return [[Piece("No record would be written.", "muted")]]
    text, language = record, ""
    with suppress(ValueError, RecursionError):  # Another format, or only the beginning is known.
        text, language = json.dumps(json.loads(record), indent=2, ensure_ascii=False), "json"
    shown = text[:MOST_CHARACTERS].rpartition("\n")[0] if len(text) > MOST_CHARACTERS else text
    shown = shown or text[:MOST_CHARACTERS]
    lines = [row for line in code_lines(shown, language) for row in _wrapped([*line], width)]
    if len(shown) < len(text):
        lines.append([Piece(f"… {len(text) - len(shown):,} more characters", "faint")])
    return lines


def _wrapped(line: Line, width: int) -> list[Line]:
    text = "".join(piece.text for piece in line)
    starts = accumulate(map(len, chopped(text, max(4, width))), initial=0)
    return [cut_line(line, start, end) for start, end in pairwise(starts)]


def _counted(name: str, count: int, kind: str, about: tuple[str, str], width: int) -> Line:
    """Return a figure with its name, and words at its right: fewer where more don't fit."""
    words = about[0] if len(about[0]) <= width - BEFORE else about[1]
    return [Piece(f"{name:<12}", "muted"), Piece(f"{count:>7,}  ", kind), Piece(words, "muted")]


def left_out_lines(preview: ExportPreview, width: int) -> list[Line]:
    """Return what would not be written, and why."""
    if not preview.left_out:
        return [[PASSED.piece(), Piece("Nothing is left out.", "muted")]]
    lines: list[Line] = []
    for entry, reason in preview.left_out:
        lines.append(name_line(entry, max(1, width - 1), "bright"))
        lines += hanging([Piece("  ")], reason[:400], width, "muted")
    return lines


# Groups of sessions that are alike, as rows.


def group_row(group: DuplicateGroup, is_left: bool) -> Line:
    """Return the head of a group; two verdicts in it are a warning."""
    box = Piece(f" {BOXES[not is_left]} ", "faint" if is_left else "key")
    words = plural(len(group.members), "session")
    line: Line = [box, Piece(f"group {group.number}", "bright"), Piece(f"  {words}", "muted")]
    if group.is_conflicting:
        line.append(Piece(f"   ▲ two verdicts: {', '.join(group.verdicts)}", "warn"))
    return line


def member_row(member: Member, is_first: bool, is_left: bool, width: int) -> Line:
    """Return a session of a group: what it is, how alike, and whether it stays."""
    entry = member.entry
    room = max(1, width - 32 - 10)
    share = "" if is_first else percent(member.similarity, 1)
    fate = "stays" if is_first or is_left else "extra"
    return [
        Piece("      "),
        Piece("╭ " if is_first else "│ ", "warn"),
        *name_line(entry, room, "text" if is_first else "muted"),
        Piece(f"{share:>6} ", "warn"),
        Piece(f"{entry.messages:>6,} ", "muted"),
        Piece(f"{entry.status:<12}", "muted"),
        Piece(fate, "ok" if fate == "stays" else "error"),
    ]


LEAST_SIDES = 76
"""Cells from which on two texts are side by side."""
MOST_TEXT = 4_000
"""Characters of a text that are drawn."""


def texts_about(found: TextPair) -> Line:
    """Return how alike the two are, and in how many messages they differ."""
    same = sum(pair.is_same for pair in found.pairs)
    share = "identical" if found.other.similarity == 1 else percent(found.other.similarity, 1)
    words = f"   {same:,} of {plural(len(found.pairs), 'message')} the same "
    return [Piece(share, "bright"), Piece(words, "muted")]


def text_pair_lines(found: TextPair, width: int) -> list[Line]:
    """Return two sessions message by message: what is the same in one line, else both texts."""
    room = (width - GUTTER) // 2
    is_beside = width >= LEAST_SIDES
    lines: list[Line] = []
    if is_beside:
        left = name_line(found.first, room, "bright")
        lines = beside([left], [name_line(found.other.entry, room, "bright")], room)
    for pair in found.pairs:
        if pair.is_same and pair.first is not None:
            lines.append([*_role(pair.first), Piece(pair.first.search_text[:width], "muted")])
        elif is_beside:
            lines += beside(_side(pair, 0, room), _side(pair, 1, room), room)
        else:
            lines += [*_side(pair, 0, width), *_side(pair, 1, width)]
    if found.left_out:
        lines += [[], [Piece(f"{found.left_out:,} more messages are not compared", "faint")]]
    return cropped(lines, width)


def _role(message: Message) -> Line:
    return [Piece(f"{GLYPHS[message.role]} {WORDS[message.role]:<5} ", message.role)]


def _side(pair: MessagePair, side: int, width: int) -> list[Line]:
    """Return one of two messages, with the words tinted that the other has not."""
    message, own = (pair.first, pair.other)[side], ("out", "in")[side]
    if message is None:
        return []
    tint = (OLD, NEW)[side]
    changes = pair.edits or (Edit("out" if side == 0 else "in", message.search_text),)
    spans = [
        (text[:MOST_TEXT], "text" if kind == "same" else tint)
        for kind, text in changes
        if kind in ("same", own)
    ]
    return [_role(message), *flow(spans, max(4, width)), []]


def duplicate_lines(found: Duplicates, extra: int, width: int) -> list[Line]:
    """Return what was found, in figures."""
    torn = sum(group.is_conflicting for group in found.groups)
    rows = [
        ("groups", len(found.groups), "bright"),
        ("extra sessions", extra, "bright"),
        ("with two verdicts", torn, "warn"),
        ("could not be read", len(found.problems), "error"),
    ]
    return _count_lines(rows)


# A session before and after a recipe or a policy, as a row.

COLUMN = 14
LINT = 9
SESSION_TRIAL_FIGURES = 2 * COLUMN + LINT


def trial_header(width: int) -> Line:
    """Return the names of the columns."""
    room = max(1, width - SESSION_TRIAL_FIGURES - 5)
    names = f"    {fit(' title', room)}{'messages':>{COLUMN}}{'tokens':>{COLUMN}}{'lint':>{LINT}}"
    return [Piece(names, "faint")]


def trial_row(trial: SessionTrial, is_left_out: bool, width: int) -> Line:
    """Return a session: whether it would be changed, and its figures before and after."""
    room = max(1, width - SESSION_TRIAL_FIGURES - 6)
    acts = trial.changes and not is_left_out
    sign = Piece(f" {BOXES[acts]} " if trial.changes else "     ", "key" if acts else "faint")
    title = name_line(trial.entry, room, "text" if acts else "faint")
    if trial.problem or trial.before is None:
        return [sign, *title, Piece(ERROR.text("refused").rjust(SESSION_TRIAL_FIGURES), "error")]
    after = trial.after or trial.before
    return [
        sign,
        *title,
        *_change(trial.before.messages, after.messages),
        *_change(trial.before.tokens, after.tokens),
        *_lint(trial.before, after),
    ]


def _change(before: int, after: int) -> Line:
    if before == after:
        return [Piece(short(before).rjust(COLUMN), "muted")]
    left = f"{short(before)} → "
    return [
        Piece(left.rjust(COLUMN - len(short(after))), "muted"),
        Piece(short(after), "bright"),
    ]


def _lint(before: Size, after: Size) -> Line:
    def said(errors: int) -> str:
        return f"{ERROR.glyph}{errors}" if errors else PASSED.glyph

    kind = "error" if after.errors else "ok"
    if before.errors == after.errors:
        return [Piece(said(after.errors).rjust(LINT), kind)]
    right = said(after.errors)
    left = f"{said(before.errors)} → "
    return [Piece(left.rjust(LINT - len(right)), "muted"), Piece(right, kind)]


def sums_lines(trials: Trials, left_out: int, width: int) -> list[Line]:
    """Return what it would come to for all sessions."""
    changing = trials.changing
    same = len(trials.trials) - len(changing) - len(trials.refused)
    appear = sum(
        one.after.errors > one.before.errors for one in changing if one.after and one.before
    )
    saved = sum(
        one.before.tokens - one.after.tokens for one in changing if one.after and one.before
    )
    rows = [
        ("would change", len(changing) - left_out, "bright"),
        ("left out by you", left_out, "muted"),
        ("stay as they are", same, "muted"),
        ("refused", len(trials.refused), "error"),
        ("get an error", appear, "error"),
        ("tokens less" if saved >= 0 else "tokens more", abs(saved), "bright"),
    ]
    return _count_lines(rows)


def _count_lines(rows: Sequence[tuple[str, int, str]]) -> list[Line]:
    """Return the first figure, and the others that are not 0."""
    return [
        [Piece(f"{name:<18}", "muted"), Piece(f"{count:>9,}", kind)]
        for at, (name, count, kind) in enumerate(rows)
        if count or not at
    ]


# Hits of a dry run as lines: the text as it is, and below it as it would be.

CALL = 30
"""Characters of the tool that a text is given to or comes from."""
OLD, NEW = on_background("error", "hidden"), on_background("ok", "added")
INDENT = 18
SAID = ("", "text", "thinking", "tool result")
"""Places that need no word: what is said there is what the message says."""


def heading(entry: Entry, count: int, is_chosen: bool, width: int) -> Line:
    """Return the name of a session above its hits."""
    room = max(1, min(width - 14, wanted_cells(entry.name, entry.title)))
    line = [Piece(" "), *name_line(entry, room, "bright" if is_chosen else "faint")]
    rule = "─" * max(0, width - line_width(line) - 9)
    return [*line, Piece(f" {rule} ", "track"), Piece(f"{count:>4,}", "muted")]


def place_lines(place: HitPlace, width: int, *, is_chosen: bool) -> tuple[Line, Line]:
    """Return the two lines of a hit: what is there, and what would be there or why it stays.

    The message it is in is named at its first hit only.
    """
    box = Piece(f" {BOXES[is_chosen]}", "key" if is_chosen else "faint")
    raw, who = " " * 5, " " * 7
    if place.raw is not None:
        raw, who = f"{place.raw:>4} ", f"{GLYPHS[place.role]} {WORDS[place.role]:<5}"
    if not place.is_first:
        raw, who = " " * len(raw), " " * cell_len(who)
    head: Line = [box, Piece(raw, "muted"), Piece(who, place.role or "muted")]
    room = width - INDENT
    if not is_chosen:
        why = f"left out: {place.hit.doubt}" if place.hit.doubt else "left out by you"
        return (
            [*head, Piece("  "), *_text(place, place.hit.before, "link", room)],
            [Piece(" " * INDENT), Piece(why, "faint")],
        )
    return (
        [*head, Piece("− ", "error"), *_text(place, place.hit.before, OLD, room)],
        [
            Piece(" " * (INDENT - 2)),
            Piece("+ ", "ok"),
            *_text(place, place.hit.after, NEW, room),
        ],
    )


def _text(place: HitPlace, match: str, kind: str, room: int) -> Line:
    """Return a text with something in place of its hit; what is far from it is left out."""
    label = _label(place)
    before, after = printable(place.before), printable(place.after)
    found = max(cell_len(_match(one)) for one in (place.hit.before, place.hit.after))
    free = room - line_width(label) - found
    lead = max(6, min(26, free), free - cell_len(after), free // 2)
    start = _tail(before, lead - 1) if cell_len(before) > lead or place.is_cut else before
    is_whole = start == before and not place.is_cut
    return [
        *label,
        Piece(("" if is_whole else "…") + start),
        Piece(_match(match), kind),
        Piece(after),
    ]


def _label(place: HitPlace) -> Line:
    """Return the tool that is called with the text or answered it, or which text it is."""
    hit = place.hit
    if hit.where not in SAID and (hit.kind not in REACHED or not (place.call or place.tool)):
        return [Piece(f"{hit.where[:CALL]}  ", "muted")]
    if place.call:
        tool, _, name = printable(place.call, CALL).partition(" ")
        return [Piece("→ ", "muted"), Piece(tool, "bright"), Piece(f" {name} ", "muted")]
    return [Piece(f"{place.tool[:CALL]}  ", "muted")] if place.tool else []


def _match(text: str) -> str:
    return printable(text, 80) or "(nothing)"


def _tail(text: str, cells: int) -> str:
    """Return the end of a text, as much of it as fits."""
    start, free = len(text), cells
    while start and (free := free - cell_len(text[start - 1])) >= 0:
        start -= 1
    return text[start:]


# What a replacement would come to, and where the old text still is.


def would_lines(run: DryRun, figures: ReplaceFigures, width: int) -> list[Line]:
    """Return what it would do, in figures."""
    share = f"of {run.visible:,} visible"
    rows: list[tuple[str, int, str, str]] = [
        (
            "hits",
            figures.hits,
            "bright",
            f"{figures.left_out:,} left out" if figures.left_out else "",
        ),
        ("messages", figures.messages, "bright", share),
        ("beside", figures.beside, "bright", "titles, labels, tools, fields …"),
        ("sessions", figures.sessions, "bright", f"of {run.sessions:,}"),
        ("accepted", figures.accepted, "warn", "go back to in review"),
    ]
    lines: list[Line] = [
        [Piece(f"{name:<10}", "muted"), Piece(f"{count:>7,}  ", kind), Piece(words, "muted")]
        for name, count, kind, words in rows
        if count or name not in ("accepted", "beside")
    ]
    if figures.hits:
        lines.append(_tokens(figures.tokens_before, figures.tokens_after))
    if run.problems:
        lines.append([])
        lines += [
            [Piece(row, "error")]
            for problem in run.problems[:3]
            for row in wrap(problem[:300], width)
        ]
    return lines


def _tokens(before: int, after: int) -> Line:
    """Return what would be visible in the sessions that change, before and after."""
    name = Piece(f"{'tokens':<10}", "muted")
    less = change(abs(after - before), "+" if after > before else "−")
    return [
        name,
        Piece(f"{before:>7,}  "),
        Piece(f"→ {after:,}", "bright"),
        Piece(f"   {less}", "muted"),
    ]


def searching_words(searched: int, sessions: int, hits: int) -> str:
    """Return how far a search is."""
    return f"searched {searched:,} of {plural(sessions, 'session')}, {plural(hits, 'hit')} so far"


def searching_lines(words: str, width: int) -> list[Line]:
    """Return how far a search is, where its outcome will be: before its end nothing is known."""
    return paragraph(words, width, "muted")


def stays_lines(run: DryRun, figures: ReplaceFigures, width: int) -> list[Line]:
    """Return where the old text still is afterwards, before anything is done."""
    if not run.is_searched:
        return []
    about = "A replaced message stays in the log, so that u can bring it back."
    rows = (
        ("log and journal of the sessions", figures.hits),
        ("names of fields, ids, types, numbers", run.stays.total(EVERYWHERE)),
        ("hidden messages, recorded calls", run.stays.total(PURGE)),
        ("other roles, and outside messages", run.stays.total(OTHER_ROLES)),
        ("trash, deleted sessions", run.trash.hits),
        ("recorded calls in no session yet", run.spool),
    )
    lines: list[Line] = []
    if figures.hits:
        lines += hanging([Piece("▲ ", "warn")], about, width)
    lines += [
        [Piece(f"  {name:<36}", "muted"), Piece(f"{count:>6,}", "warn")]
        for name, count in rows
        if count
    ]
    words = [] if any(count for _, count in rows) else ["Found nowhere else in these sessions."]
    unsearched = ["the history of changes", "sessions that are not chosen"]
    if run.stays.sealed:
        unsearched.insert(0, plural(run.stays.sealed, "encrypted or encoded part"))
    if run.problems:
        unsearched.insert(0, f"{plural(len(run.problems), 'session')} that can't be read")
    words.append(f"Not searched: {', '.join(unsearched)}.")
    if figures.hits or run.stays.total(PURGE):
        words.append(
            "Before you give the data away, Q in the library writes new sessions of what is "
            "visible and removes the originals for good."
        )
    return [*lines, *([Piece(row, "muted")] for one in words for row in wrap(one, width))]


# Groups of sessions that are alike, as a list.


class DuplicateSource(NumberedSource):
    """A head for each group, and below it its sessions, the one that stays first."""

    def __init__(self, found: Duplicates, left_out: Collection[int]) -> None:
        self._found = found
        self._left_out = left_out
        self.rows = rows_of(found)

    def __len__(self) -> int:
        return len(self.rows)

    def line(self, at: int, width: int) -> Line:
        row = self.rows[at]
        is_left = row.group in self._left_out
        if row.member is None:
            return group_row(self._found.groups[row.group], is_left)
        return member_row(row.member, row.is_first, is_left, width)


# The hits of a dry run as a list: the name of a session, then its hits, two rows each.

REPLACE_HITS_BAR = 5
BESIDE = REPLACE_HITS_BAR + 11
"""Cells of a row of sessions that are no title: the sign, a bar and a number."""


class ReplaceHitSource(NumberedSource):
    """Every hit, below the name of its session."""

    def __init__(self, choice: ReplaceChoice) -> None:
        self._choosing = choice
        self.items: list[SessionHits | HitPlace] = []
        self.starts: dict[str, int] = {}
        for touched in choice.run.touched:
            self.starts[touched.entry.id] = len(self.items)
            self.items += [touched, *touched.places]

    def __len__(self) -> int:
        return len(self.items)

    def blocks(self, width: int) -> Sequence[RowBlock]:
        return [
            block
            for touched in self._choosing.run.touched
            for block in (RowBlock(1, 1), RowBlock(len(touched.places), 2))
        ]

    def line(self, at: int, width: int) -> Line:
        item = self.items[at]
        if isinstance(item, HitPlace):
            return self._lines(item, width)[0]
        count = len(self._choosing.chosen(item))
        return heading(item.entry, count, bool(count), width)

    def below(self, at: int, width: int) -> list[Line]:
        item = self.items[at]
        return [self._lines(item, width)[1]] if isinstance(item, HitPlace) else []

    def _lines(self, place: HitPlace, width: int) -> tuple[Line, Line]:
        return place_lines(place, width, is_chosen=self._choosing.is_chosen(place))


class SessionHitsSource(NumberedSource):
    """The sessions in which something was found, with how much of it."""

    def __init__(self, choice: ReplaceChoice) -> None:
        self._choosing = choice
        self.touched = choice.run.touched
        self._most = max((len(touched.places) for touched in self.touched), default=1)

    def __len__(self) -> int:
        return len(self.touched)

    def line(self, at: int, width: int) -> Line:
        touched = self.touched[at]
        count = len(self._choosing.chosen(touched))
        room = max(1, width - BESIDE)
        name = name_line(touched.entry, room, "text" if count else "faint")
        return [
            Piece(f" {PASSED.glyph} " if count else "   ", "key"),
            *name,
            Piece(" "),
            Piece(f"{bar(count, self._most, REPLACE_HITS_BAR):<{REPLACE_HITS_BAR}}", "bright"),
            Piece(f"{count:>6,}", "bright" if count else "faint"),
        ]


# What would become of many sessions, one row each: before and after.


class TrialSource(NumberedSource):
    """Sessions with what they would come to; some are left out."""

    def __init__(self, trials: Sequence[SessionTrial], left_out: Collection[str]) -> None:
        self.trials = trials
        self._left_out = left_out

    def __len__(self) -> int:
        return len(self.trials)

    def header(self, width: int) -> Line | None:
        return trial_header(width)

    def line(self, at: int, width: int) -> Line:
        trial = self.trials[at]
        return trial_row(trial, trial.entry.id in self._left_out, width)

    def blocks(self, width: int) -> Sequence[RowBlock]:
        return [RowBlock(1, 2 if trial.problem else 1) for trial in self.trials]

    def below(self, at: int, width: int) -> list[Line]:
        trial = self.trials[at]
        reason = [Piece(" " * 7), Piece(trial.problem[: max(1, width - 8)], "error")]
        return [reason] if trial.problem else []
