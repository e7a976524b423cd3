"""``ctxtui export``: sessions become files, and chosen ones a data set."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from ctxtui.cli.inputs import chosen, left_out, look, session_arguments
from ctxtui.cli.output import print_problems, progress
from ctxtui.cli.outputs import output_arguments, write_out
from ctxtui.core.curation.dataset import (
    DatasetPlan,
    DatasetRequest,
    Target,
    WrittenDataset,
    plan_dataset,
    write_dataset,
)
from ctxtui.core.formats.warnings import sentences
from ctxtui.core.storage import Entry, Library
from ctxtui.files.converting import Taken, chosen_converter
from ctxtui.files.fences import Unreadable
from ctxtui.files.sessions import open_library
from ctxtui.text.plurals import plural

NEAR = 0.9
"""How like sessions are that a split keeps together, unless something else is asked for."""
SPLITTING = ("seed", "near", "validation")


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    session_arguments(parser)
    output_arguments(parser, "that of OUT's ending, else native, which keeps the whole history")
    parser.add_argument(
        "--split",
        metavar="SHARE",
        type=float,
        help="the share of the records that is for training; the others go to a second file",
    )
    parser.add_argument(
        "--seed", metavar="N", type=int, help="another number splits them differently; else 0"
    )
    parser.add_argument(
        "--near",
        metavar="SHARE",
        type=float,
        help="a split keeps those together that share this much of their words, from 0.5 to 1, "
        f"which is only identical ones; else {NEAR:g}",
    )
    parser.add_argument(
        "--validation", metavar="FILE", help="the second file of a split; else named after OUT"
    )
    parser.add_argument(
        "--manifest", metavar="FILE", help="write where each record comes from, as JSON"
    )
    parser.add_argument("--force", action="store_true", help="write over files that are there")


def run(asked: Namespace) -> int:
    """Write the sessions; 1 means that some are left out."""
    library = open_library(asked.library)
    entries = chosen(library, asked)
    out = None if asked.out in (None, "-") else asked.out
    if out is None or _is_device(Path(out)):
        _must_have_file(asked)
        report = write_out(asked, _taken(library, entries), "native")
        return 1 if report.left_out else 0
    is_folder = out.endswith("/") or Path(out).is_dir()
    plan = _planned(library, entries, asked, None if is_folder else out)
    target = Target(
        Path(out),
        is_folder,
        Path(asked.validation) if asked.validation else None,
        Path(asked.manifest) if asked.manifest else None,
    )
    with progress(out, 2, 2) as watch:
        outcome = write_dataset(library, plan, target, is_forced=asked.force, step=watch.step)
    _tell(library, plan, outcome, asked, target)
    return 1 if plan.left_out else 0


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file() and not path.is_dir()


def _must_have_file(asked: Namespace) -> None:
    """Refuse what only makes sense where files are written."""
    for name in ("split", *SPLITTING, "manifest"):
        if getattr(asked, name) is not None:
            raise Unreadable(f"--{name} needs -o: a data set is written to files, not printed")


def _planned(
    library: Library, entries: Sequence[Entry], asked: Namespace, out: str | None
) -> DatasetPlan:
    converter = chosen_converter(
        asked.to, out, scope=asked.scope, is_training=asked.fine_tuning, usual="native"
    )
    for name in SPLITTING:
        if asked.split is None and getattr(asked, name) is not None:
            raise Unreadable(f"--{name} goes with --split")
    if not entries:
        raise Unreadable(f"no session is so: {asked.where}")
    order = DatasetRequest(
        converter.format,
        asked.scope,
        asked.fine_tuning,
        asked.split,
        asked.seed or 0,
        (NEAR if asked.split is not None else 1.0) if asked.near is None else asked.near,
        asked.where,
    )
    with progress("sessions", 1, 2) as watch:
        return plan_dataset(library, entries, order, watch.step)


def _tell(
    library: Library, plan: DatasetPlan, outcome: WrittenDataset, asked: Namespace, target: Target
) -> None:
    """Say on standard error what was left out, and where the rest is."""
    if asked.manifest is None and len(plan.records) == 1:
        session = look(library, plan.records[0].entry.id)
        print_problems(f"{session.id}: {sentence}" for sentence in left_out(session))
    print_problems(f"{_called(one.entry)} is left out: {one.reason}" for one in plan.left_out)
    for group in plan.conflicting:
        named = " and ".join(sorted({one.entry.status for one in group}))
        ids = ", ".join(one.entry.id for one in group)
        print_problems([f"{named} in one group of duplicates: {ids}"])
    print_problems(sentences(outcome.warnings))
    left = f", {len(plan.left_out):,} left out" if plan.left_out else ""
    name, is_split = plan.order.format.name, plan.order.ratio is not None
    for portion, count in outcome.counts.items():
        place = str(target.file_of(portion))
        if target.is_folder:
            place = _within(target, outcome, f"{place}/{portion}" if is_split else place)
        use = "training" if portion == "train" else portion
        kind = f"{name}, for {use}" if is_split else name
        print_problems([f"{plural(count, 'conversation')} written to {place} ({kind}){left}"])


def _within(target: Target, outcome: WrittenDataset, folder: str) -> str:
    """Return the folder that files are in, or the only file there."""
    only = outcome.files[0].path.name if len(outcome.files) == 1 else ""
    return f"{folder}/{only}" if only and folder == str(target.out) else folder


def _taken(library: Library, entries: Sequence[Entry]) -> Iterator[Taken]:
    for entry in entries:
        session = look(library, entry.id)
        print_problems(f"{entry.id}: {sentence}" for sentence in left_out(session))
        yield Taken(session.conversation, _called(entry), entry.id)


def _called(entry: Entry) -> str:
    return f"session {entry.id} ({entry.title})"
