"""Data sets: which sessions become records, for training or validation, and their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

from ..conversation.conversation import Conversation
from ..conversation.native import BODIES
from ..engine.journal import Noted, Record
from ..engine.messages import Message
from ..engine.meta_fields import other_fields
from ..engine.operation import Operation
from ..engine.queries import Scope
from ..errors import Refused, format_value
from ..formats import Format
from ..formats.base import Layout
from ..formats.json_text import dump_json
from ..formats.warnings import FormatWarning, WarningCollector
from ..lint.projection import Finding
from ..storage.details import VERDICTS, Details
from ..storage.disk import Disk, Handle, UserDisk, part_of
from ..storage.entries import Entry
from ..storage.errors import NotSaved, StorageError, reason
from ..storage.library import Library
from ..values.frozen import thaw
from ..values.models import read_number
from ..values.times import milliseconds
from .catalog import Step, no_progress
from .digest import TRAINING, projection_of
from .duplicates import (
    Groups,
    Shingles,
    compared_text,
    near_groups,
    read_threshold,
    shingles_of,
)

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


def train_val_split(
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


SCOPES: tuple[Scope, ...] = ("visible", "raw")


def scoped(conversation: Conversation, scope: Scope | None) -> Conversation:
    """Return the conversation itself, or one in which every message ever added is visible."""
    if scope != "raw":
        return conversation
    meta = thaw(conversation.meta)
    return Conversation(conversation.log, conversation.settings, meta=meta)


def training_error(conversation: Conversation) -> str | None:
    """Return why a trainer would refuse a conversation, if one would."""
    return first_error(conversation.lint(TRAINING))


def first_error(findings: Iterable[Finding]) -> str | None:
    """Return the first error of some findings, and how many more there are; None without one."""
    errors = [one for one in findings if one.severity == "error"]
    if not errors:
        return None
    more = f", and {len(errors) - 1:,} more" if len(errors) > 1 else ""
    return f"{errors[0].rule} {errors[0].message}{more}"


@dataclass(frozen=True)
class DatasetRequest:
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
        read_threshold(self.near)
        read_number(self.seed, "seed")
        if self.ratio is not None:
            read_ratio(self.ratio)
        if self.format.name == "native" and self.scope is not None:
            raise Refused(
                f"scope {self.scope} applies to other formats: native has every message",
                field="scope",
                value=self.scope,
                legal="no scope",
            )

    def to_dict(self) -> dict[str, Any]:
        split = {"ratio": self.ratio, "seed": self.seed, "near": self.near}
        return {
            "where": self.where,
            "format": self.format.name,
            "scope": self.scope or "visible",
            "fineTuning": self.is_training,
            "split": None if self.ratio is None else split,
        }


class PlannedRecord(NamedTuple):
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


class DatasetPlan(NamedTuple):
    """What would be written."""

    order: DatasetRequest
    records: tuple[PlannedRecord, ...]
    left_out: tuple[LeftOut, ...]

    def of(self, portion: Portion) -> tuple[PlannedRecord, ...]:
        return tuple(one for one in self.records if one.portion == portion)

    @property
    def several(self) -> int:
        """Return how many records are in a group with others."""
        sizes = Counter(one.group for one in self.records)
        return sum(size for size in sizes.values() if size > 1)

    @property
    def conflicting(self) -> list[tuple[PlannedRecord, ...]]:
        """Return the groups whose sessions have different verdicts."""
        groups: dict[int, list[PlannedRecord]] = {}
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
    library: Library, entries: Sequence[Entry], order: DatasetRequest, step: Step = no_progress
) -> DatasetPlan:
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
        chosen = train_val_split(groups, keys, order.ratio, order.seed)
    places = {id: number for number, ids in enumerate(groups) for id in ids}
    records = tuple(
        PlannedRecord(entry, chosen[entry.id], places[entry.id], *known[entry.id][:2])
        for entry in entries
        if entry.id in known
    )
    return DatasetPlan(order, records, tuple(left))


def read_record(
    library: Library, entry: Entry, order: DatasetRequest
) -> tuple[Conversation, Details]:
    """Return the conversation of a session as it would be written, and its details."""
    if entry.problem is not None:
        raise StorageError(f"it can't be read: {entry.problem}", field="session", value=entry.id)
    with library.open(entry.id, read_only=True) as session:
        return session.conversation, session.details


def _reason(conversation: Conversation, order: DatasetRequest) -> str | None:
    if not order.is_training:
        return None
    written = scoped(conversation, order.scope)
    return training_error(written) if len(written.view) else "nothing of it is visible"


def _known(conversation: Conversation, order: DatasetRequest) -> _Known:
    written = scoped(conversation, order.scope)
    is_near = order.ratio is not None and order.near < 1
    shingles = shingles_of(compared_text(written) if is_near else "")
    return _Known(projection_of(written), len(conversation.journal), shingles)


def _groups(known: dict[str, _Known], order: DatasetRequest) -> Groups:
    projections = {id: one.projection for id, one in known.items()}
    if order.ratio is None or order.near == 1:
        groups = Groups(known)
        groups.join_equal(projections)
        return groups
    texts = {id: one.shingles for id, one in known.items()}
    return near_groups(texts, order.near, projections)


def records_of(
    library: Library, planned: Sequence[PlannedRecord], order: DatasetRequest
) -> Iterator[tuple[PlannedRecord, Conversation, Details]]:
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


class WrittenFile(NamedTuple):
    """A file that was written: its path, its size and the hash of its bytes."""

    path: Path
    size: int
    sha256: str


class UnfinishedFile:
    """A file of a set while it is written."""

    def __init__(self, disk: Disk, path: Path) -> None:
        self.path = path
        self.part = part_of(path)
        self._hash = sha256()
        self._size = 0
        above = (path.parent, *path.parent.parents)
        self.new_folders = [folder for folder in above if not folder.exists()]
        """Those that have to be made, the innermost first."""
        with _translated(path):
            disk.make_folder(path.parent)
            self._handle: Handle | None = disk.create(self.part)

    def write(self, text: str) -> None:
        """Add a text; a lone surrogate is kept, since it may be what is looked for."""
        assert self._handle is not None
        data = text.encode("utf-8", "surrogatepass")
        with _translated(self.path):
            self._handle.write(data)
        self._hash.update(data)
        self._size += len(data)

    def finish(self) -> WrittenFile:
        assert self._handle is not None
        with _translated(self.path):
            self._handle.fsync()
        self.close()
        return WrittenFile(self.path, self._size, self._hash.hexdigest())

    def close(self) -> None:
        if self._handle is not None:
            handle, self._handle = self._handle, None
            handle.close()


class FileSet:
    """Writes files under other names, and gives them their own when all are finished.

    They are put in place in the order in which they were begun, the first one at the end: where
    that is a manifest, it shows that all files exist.
    """

    def __init__(self, disk: Disk, *, is_forced: bool = False) -> None:
        self._disk = disk
        self._is_forced = is_forced
        self._growing: list[UnfinishedFile] = []

    def must_be_free(self, paths: Iterable[Path]) -> None:
        """Refuse names that are taken, unless the files may be replaced."""
        for path in paths:
            found = self._disk.version(path)
            if found is not None and (not self._is_forced or found.size < 0):
                why = "is there already" if found.size >= 0 else "is no regular file"
                hint = "; --force writes over it" if found.size >= 0 else ""
                raise Refused(
                    f"{path} {why}, so nothing is written{hint}",
                    field="out",
                    value=str(path),
                    legal="a name that is not taken",
                )

    def begin(self, path: Path) -> UnfinishedFile:
        growing = UnfinishedFile(self._disk, path)
        self._growing.append(growing)
        return growing

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._commit()
        finally:
            self._abandon()

    def _commit(self) -> None:
        """Give every file its name; where that fails, everything is as it was before."""
        self.must_be_free(one.path for one in self._growing)
        undo: list[tuple[Path, Path | None]] = []
        for one in (*self._growing[1:], *self._growing[:1]):
            try:
                with _translated(one.path):
                    self._place(one.path, one.part, undo)
            except BaseException:
                self._take_back(undo)
                raise
        self._growing.clear()
        for _, aside in undo:
            if aside is not None:
                with suppress(OSError):
                    self._disk.unlink(aside)
        for folder in dict.fromkeys(path.parent for path, _ in undo):
            with suppress(OSError):
                self._disk.fsync_folder(folder)

    def _place(self, path: Path, part: Path, undo: list[tuple[Path, Path | None]]) -> None:
        if self._disk.version(path) is not None and self._is_forced:
            aside = part_of(path)
            with suppress(OSError):  # Who may read it stays as it was.
                part.chmod(path.stat().st_mode & 0o777)
            self._disk.replace(path, aside)
            undo.append((path, aside))
        else:
            self._disk.create(path).close()  # A file that appears meanwhile is not overwritten.
            undo.append((path, None))
        self._disk.replace(part, path)

    def _take_back(self, undo: list[tuple[Path, Path | None]]) -> None:
        for path, aside in reversed(undo):
            with suppress(OSError):
                if aside is None:
                    self._disk.unlink(path)
                else:
                    self._disk.replace(aside, path)

    def _abandon(self) -> None:
        for one in self._growing:
            with suppress(OSError):
                one.close()
            with suppress(OSError):
                self._disk.unlink(one.part)
        for one in reversed(self._growing):
            for folder in one.new_folders:
                with suppress(OSError):  # Whatever is in it by now stays.
                    folder.rmdir()
        self._growing.clear()


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NotSaved(
            f"{path} can't be written: {reason(error)}; nothing was left behind",
            field="out",
            value=str(path),
        ) from None


KIND = "ctxtui data set"
VERSION = 1


def operations_of(conversation: Conversation) -> list[dict[str, Any]]:
    """Return every change of a conversation; the messages it brought are only counted."""
    return [
        {"time": record.time, **_change(record)}
        for record in conversation.journal
        if not isinstance(record.operations[0], Noted)
    ]


def _change(record: Record) -> dict[str, Any]:
    rows = [_operation_row(operation) for operation in record.operations]
    return {"list": rows} if record.listed else rows[0]


def _operation_row(operation: Operation) -> dict[str, Any]:
    counts = {}
    for name in BODIES:
        bodies = getattr(operation, name, None)
        if bodies is not None:
            counts[name] = 1 if isinstance(bodies, Message) else len(bodies)
    bare = operation.model_copy(update=dict.fromkeys(counts)) if counts else operation
    fields = bare.to_dict()
    fields.pop("meta", None)  # What a conversation says of itself is none of its changes.
    return {**fields, **counts}


def row_of(conversation: Conversation, details: Details) -> dict[str, Any]:
    """Return what a manifest says of the session a record was made of."""
    source = details.source
    return {
        "title": details.title,
        "status": details.status,
        "tags": list(details.tags),
        "note": details.note,
        "remarks": [{"message": raw, "note": text} for raw, text in details.remarks],
        "source": source and source.to_dict(),
        "origin": thaw(conversation.meta.get("origin")),
        "fields": list(other_fields(conversation.meta)),
        "messages": len(conversation.view),
        "rawMessages": len(conversation.log),
        "tokens": conversation.tokens.total,
        "counter": conversation.tokens.counter,
        "operations": operations_of(conversation),
    }


class ManifestText:
    """A manifest while it is written: a record in each line, never all of them in memory."""

    def __init__(self, file: UnfinishedFile, head: dict[str, Any]) -> None:
        self._file = file
        self._between = "\n"
        file.write(dump_json({"kind": KIND, "version": VERSION, **head})[:-1] + ',\n"records": [')

    def add(self, row: dict[str, Any]) -> None:
        self._file.write(self._between + dump_json(row))
        self._between = ",\n"

    def end(self, tail: dict[str, Any]) -> None:
        """Add what is known only now, and finish the file."""
        self._file.write("\n],\n" + dump_json(tail)[1:] + "\n")
        self._file.finish()


LINES = ".jsonl"
"""How the name of a file ends that has a record in each line."""
PORTIONS: tuple[Portion, ...] = ("train", "validation")


class Target(NamedTuple):
    """Where a data set goes: a file for each portion, or a folder with a file for each record."""

    out: Path
    is_folder: bool = False
    validation: Path | None = None
    """The file of the records for validation; else it is named after the other one."""
    manifest: Path | None = None

    def file_of(self, portion: Portion) -> Path:
        if self.is_folder:
            return self.out
        return self.out if portion == "train" else self.validation or validation_of(self.out)


def validation_of(out: Path) -> Path:
    """Return the name of the file for validation, after that of the one for training."""
    stem, dot, ending = out.name.partition(".")
    named = stem.replace("train", "validation") if "train" in stem else f"{stem}.validation"
    return out.with_name(f"{named}{dot}{ending}")


class SummedWarnings(WarningCollector):
    """Warnings about many records: of each kind the names by how often they occur."""

    def __init__(self) -> None:
        super().__init__("conversation")
        self._records: Counter[str] = Counter()
        self._named: dict[str, Counter[str]] = {}

    def include(self, warning: FormatWarning, place: int | None = None) -> None:
        self._records[warning.code] += 1
        if warning.count is not None:
            self._counts[warning.code] = self._counts.get(warning.code, 0) + warning.count
        self._named.setdefault(warning.code, Counter()).update(warning.names)

    def found(self) -> tuple[FormatWarning, ...]:
        """Return a warning for each kind: names, the most usual first, and how many records."""
        return tuple(
            replace(
                FormatWarning.of(code, [name for name, _ in self._named[code].most_common()]),
                noun=self.noun,
                count=self._counts.get(code),
                all_places=records,
            )
            for code, records in self._records.items()
        )


class WrittenDataset(NamedTuple):
    """What was written: the files with their records, and what the format can't hold."""

    files: tuple[WrittenFile, ...]
    counts: dict[Portion, int]
    warnings: tuple[FormatWarning, ...]


def write_dataset(
    library: Library,
    plan: DatasetPlan,
    target: Target,
    *,
    is_forced: bool = False,
    disk: Disk | None = None,
    step: Step = no_progress,
) -> WrittenDataset:
    """Write what was planned; whatever fails or is stopped, no file is left or changed."""
    if not plan.records:
        raise Refused(
            f"no record to write; {len(plan.left_out)} sessions are left out",
            field="out",
            legal="one record or more",
        )
    with FileSet(UserDisk() if disk is None else disk, is_forced=is_forced) as files:
        return _Writing(library, plan, target, files, step).run()


def _layout(plan: DatasetPlan, path: Path) -> Layout:
    """Return how records are arranged in a file: one per line, in a list, or one alone."""
    if plan.order.is_training or path.name.casefold().endswith(LINES):
        return Layout.LINES
    is_alone = plan.order.ratio is None and len(plan.records) == 1
    return Layout.DOCUMENT if is_alone else Layout.LIST


def first_record(library: Library, plan: DatasetPlan, target: Target) -> str:
    """Return the first record of a plan as it would be written; nothing where there is none."""
    if not plan.records:
        return ""
    order, planned = plan.order, plan.records[0]
    conversation = scoped(read_record(library, planned.entry, order)[0], order.scope)
    if target.is_folder:
        return order.format.write(conversation).text
    layout = _layout(plan, target.file_of(planned.portion))
    return next(order.format.write_each([conversation], layout, WarningCollector("record")))[1]


class _Writing:
    """One data set while it is written."""

    def __init__(
        self, library: Library, plan: DatasetPlan, target: Target, files: FileSet, step: Step
    ) -> None:
        self._library, self._plan, self._files, self._step = library, plan, files, step
        self._target = target._replace(
            out=target.out.resolve(),
            validation=target.validation and target.validation.resolve(),
            manifest=target.manifest and target.manifest.resolve(),
        )
        self._warnings = (
            SummedWarnings() if len(plan.records) > 1 else WarningCollector("conversation")
        )
        self._written: list[tuple[WrittenFile, Portion, int]] = []
        self._done = 0

    def run(self) -> WrittenDataset:
        plan, target = self._plan, self._target
        portions = [one for one in PORTIONS if plan.of(one)]
        self._check(portions)
        manifest = None
        if target.manifest is not None:
            head = {"made": milliseconds(), **plan.order.to_dict()}
            manifest = ManifestText(self._files.begin(target.manifest), head)
        for portion in portions:
            rows = self._each(portion) if target.is_folder else self._together(portion)
            for row in rows:
                if manifest is not None:
                    manifest.add(row)
        if manifest is not None:
            left_out = [
                {"session": one.entry.id, "title": one.entry.title, "reason": one.reason}
                for one in plan.left_out
            ]
            manifest.end({"files": self._file_rows(), "leftOut": left_out})
        counts = {one: len(plan.of(one)) for one in portions}
        files = tuple(one for one, _, _ in self._written)
        return WrittenDataset(files, counts, self._warnings.found())

    def _check(self, portions: Sequence[Portion]) -> None:
        target = self._target
        paths = [] if target.is_folder else [target.file_of(one) for one in portions]
        if target.manifest is not None:
            paths.append(target.manifest)
        if len(set(paths)) < len(paths):
            raise Refused(
                "two of the files have the same name; choose different ones",
                field="out",
                value=str(target.out),
                legal="a name for each file",
            )
        for path in paths:
            if not path.parent.is_dir():
                raise Refused(
                    f"{path} can't be written: there is no folder {path.parent}",
                    field="out",
                    value=str(path),
                    legal="a folder that is there",
                )
        self._files.must_be_free(paths)

    def _records(self, portion: Portion) -> Iterator[tuple[PlannedRecord, Conversation, Details]]:
        plan = self._plan
        for record in records_of(self._library, plan.of(portion), plan.order):
            self._step(self._done / len(plan.records))
            self._done += 1
            yield record

    def _together(self, portion: Portion) -> Iterator[dict[str, Any]]:
        """Write the records of a portion into one file, and yield what the manifest says."""
        order, path = self._plan.order, self._target.file_of(portion)
        growing = self._files.begin(path)
        read: list[tuple[PlannedRecord, Conversation, Details]] = []

        def taken() -> Iterator[Conversation]:
            for record in self._records(portion):
                read.append(record)
                yield scoped(record[1], order.scope)

        number = 0
        layout = _layout(self._plan, path)
        for before, piece in order.format.write_each(taken(), layout, self._warnings):
            growing.write(before + piece)
            if read:
                number += 1
                yield self._row(*read.pop(), path, number, piece)
        self._written.append((growing.finish(), portion, number))

    def _each(self, portion: Portion) -> Iterator[dict[str, Any]]:
        """Write a file for each record of a portion, and yield what the manifest says."""
        order = self._plan.order
        folder = self._target.file_of(portion)
        if order.ratio is not None:
            folder /= portion
        ending = order.format.suffixes[0] if order.format.suffixes else ".json"
        for number, (planned, conversation, details) in enumerate(self._records(portion), 1):
            written = order.format.write(scoped(conversation, order.scope))
            for warning in written.warnings:
                self._warnings.include(warning, number)
            growing = self._files.begin(folder / f"{planned.entry.id}{ending}")
            growing.write(written.text)
            self._written.append((growing.finish(), portion, 1))
            yield self._row(planned, conversation, details, growing.path, 1, written.text)

    def _row(
        self,
        planned: PlannedRecord,
        conversation: Conversation,
        details: Details,
        path: Path,
        number: int,
        piece: str,
    ) -> dict[str, Any]:
        return {
            "file": self._named(path),
            "record": number,
            "split": planned.portion if self._plan.order.ratio is not None else None,
            "sha256": sha256(piece.encode("utf-8", "surrogatepass")).hexdigest(),
            "session": planned.entry.id,
            "group": planned.group,
            "projection": planned.projection,
            **row_of(conversation, details),
        }

    def _named(self, path: Path) -> str:
        """Return a file as the manifest names it: from the folder that the data set is in."""
        folder = self._target.out if self._target.is_folder else self._target.out.parent
        return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)

    def _file_rows(self) -> list[dict[str, Any]]:
        is_split = self._plan.order.ratio is not None
        return [
            {
                "file": self._named(one.path),
                "split": portion if is_split else None,
                "records": count,
                "bytes": one.size,
                "sha256": one.sha256,
            }
            for one, portion, count in self._written
        ]
