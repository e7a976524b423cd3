"""Exporting a data set from the app: what is wished, what would be written, and writing it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from ctxtui.core.curation.dataset import (
    LINES,
    DatasetPlan,
    DatasetRequest,
    LeftOut,
    Target,
    first_record,
    plan_dataset,
    read_ratio,
    write_dataset,
)
from ctxtui.core.curation.duplicates import read_threshold
from ctxtui.core.engine.queries import Scope
from ctxtui.core.errors import Refused, format_value
from ctxtui.core.formats import FORMATS, Format
from ctxtui.core.formats.warnings import sentence
from ctxtui.core.storage import Entry, Library
from ctxtui.core.values.numbers import read_decimal, read_integer
from ctxtui.files.reading import read_path
from ctxtui.library.models.library import Done
from ctxtui.progress import TaskProgress
from ctxtui.text.options import Option
from ctxtui.text.plurals import percent, plural
from ctxtui.text.toast import done, warned

WRITABLE: tuple[Format, ...] = tuple(known for known in FORMATS if known.writes)
BY_NAME = {known.name: known for known in WRITABLE}
STATUSES = ("accepted", "all of them")
SCOPES: tuple[Scope, ...] = ("visible", "raw")
NEARS = (0.9, 0.95, 0.8, 1.0)
"""How alike sessions must be to stay on one side of a split, the usual value first."""
LONGEST_RECORD = 1_000_000
"""Characters of the first record that are shown."""
TRAINING = "openai"
"""The format of files for fine-tuning."""


@dataclass(frozen=True)
class ExportOptions:
    """What a data set shall be, and where it goes."""

    status: str = STATUSES[0]
    format: str = TRAINING
    scope: Scope = "visible"
    is_training: bool = True
    ratio: float | None = None
    seed: int = 0
    near: float = NEARS[0]
    out: str = ""
    is_folder: bool = False
    has_manifest: bool = True
    is_forced: bool = False

    @property
    def order(self) -> DatasetRequest:
        scope = None if self.format == "native" else self.scope
        is_training = self.is_training and self.format == TRAINING
        return DatasetRequest(
            BY_NAME[self.format], scope, is_training, self.ratio, self.seed, self.near
        )

    @property
    def name(self) -> str:
        """Return where it goes: what was typed, or else a name that no file has."""
        suffixes = BY_NAME[self.format].suffixes or (".json",)
        lines = (".jsonl",) if self.order.is_training else ()
        ending = next((one for one in (*lines, *suffixes) if one.endswith(LINES)), suffixes[0])
        names = ("dataset" if at == 1 else f"dataset-{at}" for at in count(1))
        free = (name if self.is_folder else f"{name}{ending}" for name in names)
        return self.out or next(name for name in free if not _exists(Path(name)))

    @property
    def target(self) -> Target:
        out = read_path(self.name)
        name = f"{out.name.partition('.')[0]}.manifest.json"
        beside = out / "manifest.json" if self.is_folder else out.with_name(name)
        return Target(out, self.is_folder, manifest=beside if self.has_manifest else None)

    def among(self, entries: Sequence[Entry]) -> list[Entry]:
        if self.status == STATUSES[0]:
            return [entry for entry in entries if entry.status == STATUSES[0]]
        return list(entries)

    # Choosing

    def having(self, name: str, value: Any) -> ExportOptions:
        """Return it with another value; what is typed is read, or refused."""
        text = value.strip() if isinstance(value, str) else ""
        if name == "ratio":
            value = None if not text else read_ratio(read_decimal(text, "train share"))
        elif name == "seed":
            value = read_integer(text or "0", "seed")
        elif name == "out":
            value = text
            out = read_path(text) if text else None
            if out is not None and not Path(text).name:
                raise Refused(
                    f"{format_value(text)} is not a file name",
                    field=name,
                    value=text,
                    legal="a file or a folder below another one",
                )
        return replace(self, **{name: value})

    def options(self, entries: Sequence[Entry]) -> list[Option]:
        accepted = sum(entry.status == STATUSES[0] for entry in entries)
        counts = dict(zip(STATUSES, (accepted, len(entries)), strict=True))
        what, split, where = "What", "Split", "Where"
        share = f"{self.ratio:g}" if self.ratio is not None else ""
        statuses = {one: f"{one} {count:,}" for one, count in counts.items()}
        near = {one: "identical" if one == 1 else percent(one, 1) for one in NEARS}
        formats, scopes = {name: name for name in BY_NAME}, {one: one for one in SCOPES}
        return [
            Option("status", "sessions", self.status, statuses, what),
            Option("format", "format", self.format, formats, what, is_stepped=True),
            Option(
                *("scope", "messages", self.scope, scopes, what), is_shown=self.format != "native"
            ),
            Option(
                *("is_training", "for fine-tuning", self.is_training),
                group=what,
                is_shown=self.format == TRAINING,
            ),
            Option("ratio", "train share", share, group=split, hint="no split; 0.9"),
            Option("seed", "seed", self.seed, group=split, is_number=True),
            Option("near", "never apart", self.near, near, split),
            Option("out", "write to", self.name, group=where, hint=self.name),
            Option("is_folder", "a file for each", self.is_folder, group=where),
            Option("has_manifest", "manifest", self.has_manifest, group=where),
            Option("is_forced", "write over", self.is_forced, group=where),
        ]


class ExportPreview(NamedTuple):
    """What would be written: the plan, and the files with whether something is there already."""

    plan: DatasetPlan
    files: tuple[tuple[str, bool], ...] = ()
    first: str = ""
    """The first record as it would be written, or how it begins."""

    @property
    def existing(self) -> list[str]:
        return [name for name, is_there in self.files if is_there]

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        return self.plan.left_out


def preview_export(
    library: Library, entries: Sequence[Entry], options: ExportOptions, watch: TaskProgress
) -> ExportPreview:
    """Return what would be written; nothing is."""
    read_threshold(options.near)
    plan = plan_dataset(library, options.among(entries), options.order, watch.step)
    target = options.target
    paths = [target.out]
    if not target.is_folder and plan.of("validation"):
        paths.append(target.file_of("validation"))
    if target.manifest is not None:
        paths.append(target.manifest)
    is_there = [not target.is_folder and _exists(path) for path in paths]
    first = first_record(library, plan, target)[:LONGEST_RECORD]
    return ExportPreview(plan, tuple(zip(map(str, paths), is_there, strict=True)), first)


def _exists(path: Path) -> bool:
    try:
        return path.exists() or path.is_symlink()
    except (OSError, ValueError):
        return False


def write_export(
    library: Library, options: ExportOptions, preview: ExportPreview, watch: TaskProgress
) -> Done:
    """Write what was shown; all files or none."""
    target = options.target
    made = write_dataset(
        library, preview.plan, target, is_forced=options.is_forced, step=watch.step
    )
    count = plural(sum(made.counts.values()), "record")
    parts = ", ".join(f"{number:,} {portion}" for portion, number in made.counts.items())
    left = len(preview.left_out)
    where = f"{target.out}" + (f"; {parts}" if len(made.counts) > 1 else "")
    where += f"; {left:,} left out" if left else ""
    if made.warnings:
        return Done(warned(f"Wrote {count} to {where}", sentence(made.warnings[0])))
    return Done(done(f"Wrote {count}", f"To {where}."))
