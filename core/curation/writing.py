"""Writing a data set: its files and its manifest, all of them or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ..conversation.conversation import Conversation
from ..errors import Refused
from ..formats.base import Layout
from ..formats.warnings import FormatWarning, WarningCollector
from ..storage.details import Details
from ..storage.disk import Disk
from ..storage.library import Library
from ..storage.real_disk import UserDisk
from ..values.times import milliseconds
from .dataset import Plan, Planned, Step, records_of, silent
from .file_set import FileSet, Finished
from .manifest import ManifestText, row_of
from .portions import Portion
from .records import scoped

LINES = ".jsonl"
"""How the name of a file ends that has a record in each line."""
"""How many names a sentence about many records gives."""
PORTIONS: tuple[Portion, ...] = ("train", "validation")


class Target(NamedTuple):
    """Where a data set goes: a file for each portion, or a folder with a file for each record."""

    out: Path
    is_folder: bool = False
    validation: Path | None = None
    """The file of the records for validation; else it is named after the other one."""
    manifest: Path | None = None

    def file_of(self, portion: Portion) -> Path:
        """Return the file, or the folder, of a portion."""
        if self.is_folder:
            return self.out
        return self.out if portion == "train" else self.validation or validation_of(self.out)


def validation_of(out: Path) -> Path:
    """Return how the file for validation is called beside one for training."""
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
        """Count a warning and its names."""
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


class Outcome(NamedTuple):
    """What was written: the files with their records, and what the format can't hold."""

    files: tuple[Finished, ...]
    counts: dict[Portion, int]
    warnings: tuple[FormatWarning, ...]


def write_dataset(
    library: Library,
    plan: Plan,
    target: Target,
    *,
    is_forced: bool = False,
    disk: Disk | None = None,
    step: Step = silent,
) -> Outcome:
    """Write what was planned; whatever fails or is stopped, no file is left or changed."""
    if not plan.records:
        raise Refused(
            f"there is no record to be written; {len(plan.left_out)} sessions are left out",
            field="out",
            legal="one record or more",
        )
    with FileSet(UserDisk() if disk is None else disk, is_forced=is_forced) as files:
        return _Writing(library, plan, target, files, step).run()


class _Writing:
    """One data set while it is written."""

    def __init__(
        self, library: Library, plan: Plan, target: Target, files: FileSet, step: Step
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
        self._written: list[tuple[Finished, Portion, int]] = []
        self._done = 0

    def run(self) -> Outcome:
        """Write everything under names of its own."""
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
            manifest.end({"files": self._told(), "leftOut": self._left_out()})
        counts = {one: len(plan.of(one)) for one in portions}
        files = tuple(one for one, _, _ in self._written)
        return Outcome(files, counts, self._warnings.found())

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

    def _records(self, portion: Portion) -> Iterator[tuple[Planned, Conversation, Details]]:
        plan = self._plan
        for record in records_of(self._library, plan.of(portion), plan.order):
            self._step(self._done / len(plan.records))
            self._done += 1
            yield record

    def _together(self, portion: Portion) -> Iterator[dict[str, Any]]:
        """Write the records of a portion into one file, and yield what the manifest says."""
        order, path = self._plan.order, self._target.file_of(portion)
        growing = self._files.begin(path)
        read: list[tuple[Planned, Conversation, Details]] = []

        def taken() -> Iterator[Conversation]:
            for record in self._records(portion):
                read.append(record)
                yield scoped(record[1], order.scope)

        number = 0
        for before, piece in order.format.write_each(taken(), self._layout(path), self._warnings):
            growing.write(before + piece)
            if read:
                number += 1
                yield self._row(*read.pop(), path, number, piece)
        self._written.append((growing.finish(), portion, number))

    def _layout(self, path: Path) -> Layout:
        """Return how records lie in a file: in a line each, in a list, or one alone."""
        order = self._plan.order
        if order.is_training or path.name.casefold().endswith(LINES):
            return Layout.LINES
        is_alone = order.ratio is None and len(self._plan.records) == 1
        return Layout.DOCUMENT if is_alone else Layout.LIST

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
        planned: Planned,
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

    def _told(self) -> list[dict[str, Any]]:
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

    def _left_out(self) -> list[dict[str, Any]]:
        return [
            {"session": one.entry.id, "title": one.entry.title, "reason": one.reason}
            for one in self._plan.left_out
        ]
