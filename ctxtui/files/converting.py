"""Writing any number of conversations in a format: to one file, or to a file each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from ctxtui.core import Conversation
from ctxtui.core.curation.dataset import scoped, training_error
from ctxtui.core.engine.queries import Scope
from ctxtui.core.formats import Format, Layout, format_for, format_named
from ctxtui.core.formats.warnings import WarningCollector
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.writing import write_whole

LINES = ".jsonl"
"""How the name of a file ends that has a conversation in each line."""


class Taken(NamedTuple):
    """A conversation to be written: what sentences call it, and its file without an ending."""

    conversation: Conversation
    called: str
    stem: str
    layout: Layout = Layout.DOCUMENT


@dataclass
class Report:
    """What came of writing: how many, which not and why, and what the format can't hold."""

    written: int = 0
    left_out: list[tuple[str, str]] = field(default_factory=list)
    collector: WarningCollector = field(default_factory=lambda: WarningCollector("conversation"))


@dataclass(frozen=True)
class Converter:
    """Writes conversations in one format; for training only what a trainer accepts."""

    format: Format
    scope: Scope | None = None
    is_training: bool = False

    def together(self, taken: Iterable[Taken], out: str, report: Report) -> Iterator[str]:
        """Yield the text of one file with all of them, piece by piece."""
        fitting = self._fitting(taken, report)
        first = list(islice(fitting, 2))
        rest = chain(first, fitting)
        layout = self._layout(first, out)
        if layout is Layout.DOCUMENT:
            for one in rest:
                written = self.format.write(one.conversation)
                for warning in written.warnings:
                    report.collector.include(warning)
                yield written.text
        else:
            conversations = (one.conversation for one in rest)
            yield from self.format.write_all(conversations, layout, report.collector)

    def each(
        self, taken: Iterable[Taken], folder: Path, report: Report, *, is_forced: bool
    ) -> Iterator[Path]:
        """Write each to a file of its own in a folder, and yield the file."""
        ending = self.format.suffixes[0] if self.format.suffixes else ".json"
        used: dict[str, int] = {}
        for number, one in enumerate(self._fitting(taken, report), 1):
            times = used[one.stem] = used.get(one.stem, 0) + 1
            stem = one.stem if times == 1 else f"{one.stem}-{times}"
            written = self.format.write(one.conversation)
            for warning in written.warnings:
                report.collector.include(warning, number)
            path = folder / f"{stem}{ending}"
            check_free(path, is_forced=is_forced)
            write_whole(path, written.text)
            yield path

    def _layout(self, first: list[Taken], out: str) -> Layout:
        """Return how conversations lie in one file: one alone, in a line each, or in a list."""
        if self.is_training or out.casefold().endswith(LINES):
            return Layout.LINES
        if len(first) == 1 and first[0].layout is not Layout.LIST:
            return Layout.DOCUMENT
        return Layout.LIST if out else Layout.LINES

    def _fitting(self, taken: Iterable[Taken], report: Report) -> Iterator[Taken]:
        """Yield what is to be written, and note what is not, and why."""
        for one in taken:
            fit = one._replace(conversation=scoped(one.conversation, self.scope))
            reason = training_error(fit.conversation) if self.is_training else None
            if reason is not None:
                report.left_out.append((one.called, reason))
            else:
                report.written += 1
                yield fit


def check_free(path: Path, *, is_forced: bool) -> None:
    """Refuse to overwrite a file, unless the user asked for that."""
    if path.is_file() and not is_forced:
        raise Unreadable(f"{path} exists, so nothing is written; --force overwrites it")


TABLES = (".parquet", ".arrow", ".feather", ".csv", ".tsv")
"""Endings of files that no format writes."""


def chosen_converter(
    to: str | None, out: str | None, *, scope: Scope | None, is_training: bool, usual: str | None
) -> Converter:
    """Return how to write: the named format, that of the file's ending, or else the usual one."""
    if is_training and to not in (None, "openai"):
        raise Unreadable(f"--fine-tuning writes openai, not {to}")
    if out and (table := Path(out).suffix.casefold()) in TABLES:
        raise Unreadable(
            f"a {table} file would not be one: export writes JSON or text; Parquet is written by "
            "ctxtui corpus --as parquet"
        )
    by_ending = format_for(out) if out else None
    name = "openai" if is_training else to or (by_ending.name if by_ending else usual)
    if name is None:
        raise Unreadable(
            "no format is chosen: name one with --to, or a file with an ending such as .json"
        )
    if name == "native" and scope is not None:
        raise Unreadable(f"--scope {scope} is for other formats: native keeps every message")
    return Converter(format_named(name), scope, is_training)
