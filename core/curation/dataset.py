"""Portions: which records are for training and which for validation, whole groups at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal, NamedTuple

from ..conversation.conversation import Conversation
from ..errors import Refused, format_value
from ..formats import Format
from ..storage.details import Details
from ..storage.entries import Entry
from ..storage.errors import StorageError
from ..storage.library import Library
from ..values.frozen import thaw
from ..values.models import read_number
from .digest import projection_of
from .duplicates import (
    Groups,
    Shingles,
    compared_text,
    near_groups,
    read_threshold,
    shingles_of,
)
from .verdicts import VERDICTS

Portion = Literal["train", "validation"]


def read_ratio(value: object) -> float:
    """Return which share is for training, or refuse it."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < value < 1:  # type: ignore[operator]
        raise Refused(
            f"split {format_value(value)} is not between 0 and 1",
            field="split",
            value=value,
            legal="above 0, below 1",
        )
    return float(value)  # type: ignore[arg-type]


def portions(
    groups: Sequence[Sequence[str]], keys: Mapping[str, str], ratio: float, seed: int
) -> dict[str, Portion]:
    """Return the portion of each record; those of a group are never parted.

    Which groups are for validation depends on the seed and on what is in them, not on the order
    they come in: a few more records later on move only a few. Where groups are too large for the
    ratio, validation gets fewer rather than more.
    """
    read_ratio(ratio)
    read_number(seed, "seed")
    count = sum(map(len, groups))
    wanted = min(max(1, round((1 - ratio) * count)), count - 1)
    order = sorted(groups, key=lambda names: _chance(seed, min(keys[name] for name in names)))
    chosen: dict[str, Portion] = {}
    for names in order:
        is_fitting = len(names) <= wanted
        wanted -= len(names) if is_fitting else 0
        chosen |= dict.fromkeys(names, "validation" if is_fitting else "train")
    return chosen


def _chance(seed: int, key: str) -> bytes:
    return blake2b(f"{seed} {key}".encode(), digest_size=16).digest()


Scope = Literal["visible", "raw"]
SCOPES: tuple[Scope, ...] = ("visible", "raw")
TRAINING = "fine-tuning"
"""The profile of what a fine-tuning file may hold."""


def scoped(conversation: Conversation, scope: Scope | None) -> Conversation:
    """Return the conversation itself, or one in which every message ever added is visible."""
    if scope != "raw":
        return conversation
    meta = thaw(conversation.meta)
    return Conversation(conversation.log, conversation.settings, meta=meta)


def breach(conversation: Conversation) -> str | None:
    """Return why a trainer would refuse a conversation, if one would."""
    errors = [one for one in conversation.lint(TRAINING) if one.severity == "error"]
    if not errors:
        return None
    more = f", and {len(errors) - 1:,} more" if len(errors) > 1 else ""
    return f"{errors[0].rule} {errors[0].message}{more}"


Step = Callable[[float], None]
"""Is told which share of the work is done, and may raise something to stop it."""


def silent(done: float) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Order:
    """What a data set shall be; a ``near`` of 1 keeps only identical ones together."""

    format: Format
    scope: Scope | None = None
    is_training: bool = False
    ratio: float | None = None
    seed: int = 0
    near: float = 1.0
    where: str | None = None
    """What the sessions were chosen by, for the manifest."""

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        read_threshold(self.near)
        read_number(self.seed, "seed")
        if self.ratio is not None:
            read_ratio(self.ratio)
        if self.format.name == "native" and self.scope is not None:
            raise Refused(
                f"scope {self.scope} goes with other formats: native keeps every message",
                field="scope",
                value=self.scope,
                legal="no scope",
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the order as a manifest has it."""
        split = {"ratio": self.ratio, "seed": self.seed, "near": self.near}
        return {
            "where": self.where,
            "format": self.format.name,
            "scope": self.scope or "visible",
            "fineTuning": self.is_training,
            "split": None if self.ratio is None else split,
        }


class Planned(NamedTuple):
    """A session that will be a record: its portion, and its group, whose members are alike."""

    entry: Entry
    portion: Portion
    group: int
    projection: str
    changes: int
    """How many changes it had when the plan was made; with more, the plan is out of date."""


class LeftOut(NamedTuple):
    """A session that will not be a record, and why."""

    entry: Entry
    reason: str


class Plan(NamedTuple):
    """What would be written."""

    order: Order
    records: tuple[Planned, ...]
    left_out: tuple[LeftOut, ...]

    def of(self, portion: Portion) -> tuple[Planned, ...]:
        """Return the records of a portion."""
        return tuple(one for one in self.records if one.portion == portion)

    @property
    def several(self) -> int:
        """Return how many records stand in a group with others."""
        sizes = Counter(one.group for one in self.records)
        return sum(size for size in sizes.values() if size > 1)

    @property
    def torn(self) -> list[tuple[Planned, ...]]:
        """Return the groups in which sessions were decided differently."""
        groups: dict[int, list[Planned]] = {}
        for one in self.records:
            groups.setdefault(one.group, []).append(one)
        return [
            tuple(some)
            for some in groups.values()
            if len({one.entry.status for one in some}.intersection(VERDICTS)) > 1
        ]


class _Known(NamedTuple):
    """What is kept of a session between reading it and deciding where it goes."""

    projection: str
    changes: int
    shingles: Shingles
    """Empty unless near duplicates are looked for."""


def plan_dataset(
    library: Library, entries: Sequence[Entry], order: Order, step: Step = silent
) -> Plan:
    """Return what would be written of some sessions, in their order."""
    known: dict[str, _Known] = {}
    left: list[LeftOut] = []
    entries = list({entry.id: entry for entry in entries}.values())
    for number, entry in enumerate(entries):
        step(number / len(entries))
        try:
            conversation, _ = read_record(library, entry, order)
        except StorageError as error:
            left.append(LeftOut(entry, str(error)))
            continue
        reason = _reason(conversation, order)
        if reason is not None:
            left.append(LeftOut(entry, reason))
        else:
            known[entry.id] = _known(conversation, order)
    step(1.0)
    groups = list(_groups(known, order).members().values())
    keys = {id: one.projection for id, one in known.items()}
    chosen: dict[str, Portion] = dict.fromkeys(known, "train")
    if order.ratio is not None and len(known) > 1:
        chosen = portions(groups, keys, order.ratio, order.seed)
    places = {id: number for number, ids in enumerate(groups) for id in ids}
    records = tuple(
        Planned(entry, chosen[entry.id], places[entry.id], *known[entry.id][:2])
        for entry in entries
        if entry.id in known
    )
    return Plan(order, records, tuple(left))


def read_record(library: Library, entry: Entry, order: Order) -> tuple[Conversation, Details]:
    """Return the conversation of a session as it would be written, and its details."""
    if entry.problem is not None:
        raise StorageError(f"it can't be read: {entry.problem}", field="session", value=entry.id)
    with library.open(entry.id, read_only=True) as session:
        return session.conversation, session.details


def _reason(conversation: Conversation, order: Order) -> str | None:
    """Return why a conversation is no record."""
    if not order.is_training:
        return None
    written = scoped(conversation, order.scope)
    return breach(written) if len(written.view) else "nothing of it is visible"


def _known(conversation: Conversation, order: Order) -> _Known:
    written = scoped(conversation, order.scope)
    is_near = order.ratio is not None and order.near < 1
    shingles = shingles_of(compared_text(written) if is_near else "")
    return _Known(projection_of(written), len(conversation.journal), shingles)


def _groups(known: dict[str, _Known], order: Order) -> Groups:
    projections = {id: one.projection for id, one in known.items()}
    if order.ratio is None or order.near == 1:
        groups = Groups(known)
        groups.join_equal(projections)
        return groups
    texts = {id: one.shingles for id, one in known.items()}
    return near_groups(texts, order.near, projections)


def records_of(
    library: Library, planned: Sequence[Planned], order: Order
) -> Iterator[tuple[Planned, Conversation, Details]]:
    """Yield each record, read again; refuse one that was changed since it was planned."""
    for one in planned:
        conversation, details = read_record(library, one.entry, order)
        is_same = len(conversation.journal) == one.changes
        if not is_same or projection_of(scoped(conversation, order.scope)) != one.projection:
            raise Refused(
                f"session {one.entry.id} was changed while the data set was made; "
                "nothing is written, make it again",
                field="session",
                value=one.entry.id,
            )
        yield one, conversation, details
