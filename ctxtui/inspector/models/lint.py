"""The messages around a finding: both halves of a broken exchange, and the cut between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.core import Batch, Conversation, Finding, Refused, Revision
from ctxtui.core.engine.settings import PROFILES
from ctxtui.core.engine.state import State
from ctxtui.core.lint import RULES, lint_state
from ctxtui.core.values.models import read_choice
from ctxtui.core.values.numbers import read_integer
from ctxtui.inspector.models.links import OtherHalf
from ctxtui.inspector.models.look import Look
from ctxtui.progress import TaskProgress
from ctxtui.text.symbols import printable
from ctxtui.text.toast import Toast, done, note

if TYPE_CHECKING:
    from ctxtui.calls.models.call import RecordedCall
    from ctxtui.core import ProviderEdit

AROUND = 1
AROUND_ALONE = 2
"""How many neighbours are shown of a pair, and of a single message with an error."""
MOST_BETWEEN = 3
"""How many messages between two halves are shown; more of them are a gap."""


class PairRow(NamedTuple):
    """A line of the picture: a message, or words about what is missing there."""

    raw: int | None = None
    words: str = ""
    is_cut: bool = False
    """Whether this is where an operation cut the exchange in two."""
    is_part: bool = False
    """Whether it is one of the halves, or represents one."""


def pair_rows(look: Look, finding: Finding) -> list[PairRow]:
    """Return the messages a finding is about with their neighbours; none if it is about all."""
    raw, position = finding.raw_index, finding.position
    if raw is None or position is None:
        return []
    half = look.other_half(finding)
    if half is None:
        rows = _visible(look, position, position, AROUND_ALONE)
        return _with_ghost(look, [one._replace(is_part=one.raw == raw) for one in rows], finding)
    if half.blame is None:
        other = look.view.position(half.raw)
        assert other is not None
        rows = _visible(look, min(position, other), max(position, other), AROUND)
    else:
        first, last = sorted((raw, half.raw))
        rows = _folded(range(max(0, first - AROUND), min(look.log_size, last + AROUND + 1)), AROUND)
    parts = (raw, half.raw)
    rows = [one._replace(is_part=one.raw in parts) for one in rows]
    return rows if half.blame is None else _with_cut(look, rows, raw, half)


def _visible(look: Look, first: int, last: int, around: int) -> list[PairRow]:
    """Return what is between two positions, and a little before and after."""
    places = range(max(0, first - around), min(len(look.view), last + around + 1))
    return [
        row if row.raw is None else PairRow(look.view[row.raw]) for row in _folded(places, around)
    ]


def _folded(places: range, around: int) -> list[PairRow]:
    """Return a line for each place; a long way between two halves is one line."""
    if len(places) <= MOST_BETWEEN + 2 + 2 * around:
        return [PairRow(place) for place in places]
    start, end = places[: around + 2], places[-around - 2 :]
    gap = PairRow(words=f"{len(places) - len(start) - len(end):,} more between")
    return [*map(PairRow, start), gap, *map(PairRow, end)]


def _with_ghost(look: Look, rows: list[PairRow], finding: Finding) -> list[PairRow]:
    """Return the rows with words in place of a half that was never in the log."""
    raw = finding.raw_index
    if raw is None or not finding.repairs:
        return rows
    at = next(i for i, row in enumerate(rows) if row.raw == raw)
    if look.state.log.links(raw).calls:
        ghost = PairRow(words="no result of it was ever added", is_part=True)
        return [*rows[: at + 1], ghost, *rows[at + 1 :]]
    ghost = PairRow(words="its call was never added", is_part=True)
    return [*rows[:at], ghost, *rows[at:]]


def _with_cut(look: Look, rows: list[PairRow], raw: int, half: OtherHalf) -> list[PairRow]:
    """Return the rows with a line where the hidden half was cut off, next to the visible one."""
    blame = half.blame
    if blame is None:
        return rows
    if blame.batch is None:
        words = "never visible on this path"
    else:
        name = "" if blame.operation is None else f" {blame.operation.title}"
        words = f"batch {blame.batch.number}{name} cut here"
    cut = PairRow(words=words, is_cut=True)
    at = next(i for i, row in enumerate(rows) if row.raw == raw)
    towards = -1 if half.raw < raw else 1
    # From the half that is left, over what else is left, to the first one that is hidden.
    while _is_left(look, rows[at + towards]):
        at += towards
    place = at if towards < 0 else at + 1
    return [*rows[:place], cut, *rows[place:]]


def _is_left(look: Look, row: PairRow) -> bool:
    return row.raw is not None and look.view.position(row.raw) is not None


# How many lint errors each batch has: few messages are linted at once, many behind the scenes.

MESSAGES_AT_ONCE = 3_000
"""How many messages are linted before a frame is drawn, over all batches together."""
REVISIONS_AT_A_TIME = 8
"""How many revisions are linted in one go behind the scenes."""


class ErrorCounts:
    """Errors by revision, for the settings of a conversation; other settings start from scratch."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._settings = conversation.settings
        self._known: dict[int, int] = {}
        self._wanted: set[int] = set()
        self._uncountable: set[int] = set()

    def of(self, revision: Revision) -> int | None:
        """Return the errors of a revision; one that was not counted yet is wanted from now on."""
        known = self._known.get(revision.id)
        if known is None and revision.id not in self._uncountable:
            self._wanted.add(revision.id)
        return known

    def prepare(self, revisions: Iterable[Revision]) -> None:
        """Count the errors of some revisions, as far as that takes no time worth mentioning."""
        if self._settings != self._conversation.settings:
            self._settings = self._conversation.settings
            self._known, self._wanted = {}, set()
        left = MESSAGES_AT_ONCE
        for revision in revisions:
            if revision.id not in self._known:
                left -= len(revision.view)
                if left < 0:
                    return
                self._known[revision.id] = self._count(revision.id)

    @property
    def is_wanting(self) -> bool:
        return bool(self._wanted)

    def count_some(self) -> None:
        """Count a few of those that are wanted; this may be done in a thread."""
        known = self._known
        for id in sorted(self._wanted)[-REVISIONS_AT_A_TIME:]:
            self._uncountable.add(id)  # As long as it has not been, so that it is tried once.
            self._wanted.discard(id)
            known[id] = self._count(id)
            self._uncountable.discard(id)

    def _count(self, id: int) -> int:
        findings = self._conversation.at(id).lint()
        return sum(finding.severity == "error" for finding in findings)


# How many errors the newest batches of a path had, to see when something broke.

MOST_BATCHES = 24


def error_history(look: Look, counts: ErrorCounts) -> list[tuple[int, int | None]]:
    """Return the batches up to the shown one with their errors; None if not counted yet."""
    state, last = look.state, look.batch.number
    return [
        (number, counts.of(state.on_path(number)))
        for number in range(max(0, last - MOST_BATCHES + 1), last + 1)
    ]


# How many errors and warnings each profile finds: what another provider would say.


class ProfileCount(NamedTuple):
    """The findings of one profile."""

    errors: int
    warnings: int


def count_profiles(
    state: State, report: Callable[[str, ProfileCount], object], is_wanted: Callable[[], bool]
) -> None:
    """Lint a state by the rules of each profile and show every one; this may be in a thread."""
    for profile in PROFILES:
        if not is_wanted():
            return
        findings = lint_state(state, profile)
        errors = sum(finding.severity == "error" for finding in findings)
        report(profile, ProfileCount(errors, len(findings) - errors))


# The culprit: the first batch of the path with an error, without a message or a text, too large,
# or with a call that broke the prompt cache.

HINT = f'error, {RULES[0].id}, cache, gone (this message), "text" that vanished, or tokens'
GONE, CACHE, QUOTES = "gone", "cache", "\"'"
ANY_ERROR = ("error", "errors", "lint")

Report = Callable[[int, int], None]


class CulpritFound(NamedTuple):
    """Where something was found: the number of a batch, and what else there is to say of it."""

    batch: int
    about: str = ""


@dataclass(frozen=True)
class Culprit:
    """What is looked for: in words, and as a search that may take a while."""

    what: str
    _find: Callable[[Report], CulpritFound | int | None]
    _path: tuple[Batch, ...]

    def find(self, watch: TaskProgress) -> tuple[Batch, str] | None:
        found = self._find(lambda done, count: watch.step(done / count))
        spot = CulpritFound(found) if isinstance(found, int) else found
        if spot is None or spot.batch >= len(self._path):
            return None
        return self._path[spot.batch], spot.about

    def told(self, found: tuple[Batch, str] | None) -> Toast:
        if found is None:
            return note(f"No batch of the path is {self.what}")
        batch, about = found
        name = "START" if batch.operation is None else batch.operation.title
        title = f"Batch {batch.number} {name} is the first {self.what}"
        return done(title, printable(about), ("esc", "returns"))


def read_culprit(conversation: Conversation, raw: int | None, text: str) -> Culprit:
    """Return what a user looks for, or refuse it; ``raw`` is the message under the cursor."""
    from ctxtui.core.bisect import (
        first_above,
        first_error,
        first_without,
        first_without_text,
        rules_of,
    )

    asked, path = text.strip(), tuple(conversation.path)
    wanted = asked.casefold()
    if wanted == GONE:
        if raw is None:
            raise Refused("there is no message under the cursor that could be gone", field=GONE)
        here = raw

        def without(_: Report) -> CulpritFound | int | None:
            found = first_without(conversation, here)
            return _first_unseen(conversation, here) if found is None else found

        return Culprit(f"without raw {here}", without, path)
    if wanted == CACHE:
        told = "with a broken prompt cache"
        return Culprit(told, lambda _: _first_broken(conversation), path)
    if asked[:1] and asked[0] in QUOTES:
        quoted = asked.strip(QUOTES)
        if not quoted:
            raise Refused("there is no text between the quotes", field="text")

        def without_text(report: Report) -> CulpritFound | int | None:
            found = first_without_text(conversation, quoted, report)
            return _first_unread(conversation, quoted) if found is None else found

        return Culprit(f"without {quoted!r}", without_text, path)
    if wanted[:1].isdigit():
        most = read_integer(wanted, "tokens")
        return Culprit(
            f"above {most:,} tokens", lambda report: first_above(conversation, most, report), path
        )
    if wanted in ANY_ERROR:
        return Culprit(
            "with an error", lambda report: first_error(conversation, progress=report), path
        )
    rule = read_choice(wanted.upper(), "rule", rules_of(conversation.settings.profile))
    return Culprit(
        f"with {rule}", lambda report: first_error(conversation, rule, progress=report), path
    )


def _first_broken(conversation: Conversation) -> CulpritFound | None:
    """Return the first call of the path that broke the prompt cache."""
    from ctxtui.calls.models.call import CallPath
    from ctxtui.calls.models.sheet import CallSheet

    path = CallPath(conversation)
    for number in range(2, len(path) + 1):
        sheet = CallSheet(path.at(number))
        if sheet.cache.broke.is_loss:
            edit = f"the provider's {sheet.cache.broke.names[0]}" if sheet.cache.is_seen else None
            about = f"call {number:,}: {edit or sheet.one.cause or sheet.cache.broke.kind}"
            return CulpritFound(conversation.batches[sheet.one.batch].number, about)
    return None


def _first_unseen(conversation: Conversation, raw: int) -> CulpritFound | None:
    """Return the first call of the path whose provider hid a message that was sent."""
    from ctxtui.calls.models.call import CallPath

    found = CallPath(conversation).unseen_since(raw)
    if found is None:
        return None
    return _hidden_in(conversation, *found)


def _first_unread(conversation: Conversation, text: str) -> CulpritFound | None:
    """Return the first call of the path of which the provider hid a text that was sent."""
    from ctxtui.calls.models.call import CallPath, is_managed
    from ctxtui.core.requests.cache import said_in

    path, wanted = CallPath(conversation), text.casefold()
    holding = set(conversation.query.search(text))
    for number in range(1, len(path) + 1) if is_managed(conversation) else ():
        one = path.at(number)
        edits = [edit for raw in one.view if raw in holding and (edit := one.hiding(raw))]
        if edits and not any(wanted in said_in(at).casefold() for at in one.seen.view or ()):
            return _hidden_in(conversation, one, edits[0])
    return None


def _hidden_in(conversation: Conversation, one: RecordedCall, edit: ProviderEdit) -> CulpritFound:
    about = f"it was sent, but the provider hid it in call {one.number:,}: {edit.kind}"
    return CulpritFound(conversation.batches[one.batch].number, f"{about} ({edit.certainty})")
