"""``ctxtui export``: sessions or files become files in any format, and sessions a data set."""

from __future__ import annotations

import glob
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ctxtui.cli.inputs import check_stdin, is_session, read_session, targets_argument
from ctxtui.cli.output import progress
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.sessions import NO_MATCH, choose_sessions, left_out
from ctxtui.cli.streams import print_errors
from ctxtui.core.curation.dataset import (
    SCOPES,
    DatasetPlan,
    DatasetRequest,
    Target,
    WrittenDataset,
    plan_dataset,
    write_dataset,
)
from ctxtui.core.errors import Refused
from ctxtui.core.formats import READABLE, WRITABLE
from ctxtui.core.formats.warnings import sentences
from ctxtui.core.requests.as_seen import as_seen
from ctxtui.core.storage import Entry, Library
from ctxtui.files.converting import Report, Taken, check_free, chosen_converter
from ctxtui.files.opening import Opened, open_source, parse_conversations
from ctxtui.files.reading import check_readable, found_files, spelled
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.sessions import find_session, open_library
from ctxtui.files.writing import write_whole
from ctxtui.text.plurals import plural

NEAR = 0.9
"""How similar sessions are that a split keeps together, by default."""
OF_SPLITS = ("seed", "near", "validation")
OF_DATA_SETS = ("split", *OF_SPLITS, "manifest")


def arguments(parser: Parser) -> None:
    targets_argument(parser)
    parser.option("--from", "FILE's format; else it is detected", dest="format", choices=READABLE)
    out = "one file for all (NAME.jsonl: a line each), or a folder for a file each; else print them"
    parser.option("-o --out OUT", out)
    parser.option("--to", "the format; else that of OUT's ending, else native", choices=WRITABLE)
    parser.option("--scope", "visible messages (the default) or raw: all", choices=SCOPES)
    training = "write openai for training, without conversations that fine-tuning refuses"
    parser.option("--fine-tuning", training)
    parser.option("--seen", "write what the model saw of the last call, not what was sent")
    split = "the share of the sessions for training; the others go to a second file"
    parser.option("--split SHARE", split, type=float)
    parser.option("--seed N", "another number splits them differently; else 0", type=int)
    near = f"keep those together that share so much of their words, 0.5 to 1; else {NEAR:g}"
    parser.option("--near SHARE", near, type=float)
    parser.option("--validation FILE", "the second file of a split; else named after OUT")
    parser.option("--manifest FILE", "write where each record is from, as JSON")
    parser.option("--force", "overwrite existing files")


def run(args: Namespace) -> int:
    """Write conversations; 1 means that some are left out, 2 that nothing could be read."""
    check_stdin(*args.names)
    files = [name for name in args.names if _is_file(name)]
    names = [spelled(name) for name in args.names if name not in files]
    library = open_library(args.library)
    entries: list[Entry] = []
    if names or not files:
        ids = [find_session(library, name) for name in names]
        entries = choose_sessions(library, ids, args.where)
    for name in files if entries else ():
        check_readable(name)
    out = None if args.out in (None, "-") else args.out
    if files or out is None or args.seen or _is_device(Path(out)):
        _check_options(args, files)
        return _write(args, _Inputs(files, args.format), library, entries)
    if args.format is not None:
        raise Unreadable("--from is for files; sessions have no other format")
    return _write_data_set(args, library, entries)


def _is_file(name: str) -> bool:
    return not is_session(name) or (glob.has_magic(name) and bool(glob.glob(name)))  # noqa: PTH207


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file() and not path.is_dir()


def _check_options(args: Namespace, files: Sequence[str]) -> None:
    """Refuse what is only for a data set of sessions that is written to files."""
    for name in OF_DATA_SETS:
        if getattr(args, name) is not None:
            if not files:
                raise Unreadable(f"--{name} needs -o: a data set is written to files, not printed")
            raise Unreadable(f"--{name} is for data sets of sessions, and {files[0]} is a file")


# Any conversations, in any format.


class _Inputs:
    """The conversations of some files, one after the other; what can't be read is reported."""

    def __init__(self, names: Sequence[str], format: str | None) -> None:
        self.names = found_files(names)
        self._format = format
        self.unread = 0

    def check_out(self, out: str) -> None:
        """Refuse to write a file that is read."""
        path = Path(out).resolve()
        if any(name != "-" and Path(name).resolve() == path for name in self.names):
            raise Unreadable(f"{out}: it is read, so it can't be written too")

    def __iter__(self) -> Iterator[Taken]:
        for number, name in enumerate(self.names, 1):
            try:
                with progress(name, number, len(self.names)) as watch:
                    source = open_source(name, watch)
                    for opened in parse_conversations(name, source, self._format):
                        print_errors(f"{name}: {one}" for one in sentences(opened.warnings))
                        yield _taken(name, opened)
                    print_errors(f"{name}: {one}" for one in sentences(source.warnings))
            except Unreadable as problem:
                self.unread += 1
                print_errors([str(problem)])


def _taken(name: str, opened: Opened) -> Taken:
    path = Path(name)
    stem = "conversation" if name == "-" else path.name.removesuffix(path.suffix)
    is_alone = opened.layout.value in ("document", "items")
    title = name if is_alone else f"{name}: conversation {opened.place}"
    return Taken(opened.conversation, title, stem, opened.layout)


def _write(args: Namespace, inputs: _Inputs, library: Library, entries: Sequence[Entry]) -> int:
    """Write or print all conversations; report what is left out, and where the rest is."""
    out = None if args.out in (None, "-") else args.out
    is_folder = out is not None and (out.endswith("/") or Path(out).is_dir())
    converter = chosen_converter(
        args.to,
        None if is_folder else out,
        scope=args.scope,
        is_training=args.fine_tuning,
        usual=None if inputs.names and out is not None else "native",
    )
    report = Report()
    conversations = _conversations(inputs, library, entries)
    if args.seen:
        conversations = _as_seen(conversations, report)
    if out is None:
        sys.stdout.writelines(converter.together(conversations, "", report))
    elif is_folder:
        files = list(converter.each(conversations, _made(Path(out)), report, is_forced=args.force))
        out = str(files[0]) if len(files) == 1 else out
    else:
        inputs.check_out(out)
        check_free(Path(out), is_forced=args.force)
        write_whole(Path(out), converter.together(conversations, out, report))
    print_errors(f"{title} is left out: {why}" for title, why in report.left_out)
    print_errors(sentences(report.collector.found()))
    if out is not None:
        left = f", {len(report.left_out):,} left out" if report.left_out else ""
        count = plural(report.written, "conversation")
        print_errors([f"{count} written to {out} ({converter.format.name}){left}"])
    return 1 if inputs.unread or report.left_out else 0


def _as_seen(conversations: Iterator[Taken], report: Report) -> Iterator[Taken]:
    """Yield what the model saw of each at its last call; where that is unknown it is left out."""
    for taken in conversations:
        calls = list(taken.conversation.calls)
        try:
            if not calls:
                raise Refused("no call was recorded on its path", field="seen")
            seen = taken.conversation.seen(calls[-1])
            if seen.certainty == "unknown":
                raise Refused(f"what the model saw is not known: {seen.why}", field="seen")
            yield taken._replace(conversation=as_seen(taken.conversation, calls[-1]))
        except Refused as refusal:
            report.left_out.append((taken.called, str(refusal)))


def _conversations(inputs: _Inputs, library: Library, entries: Sequence[Entry]) -> Iterator[Taken]:
    """Yield all conversations; where no file can be read, nothing is written."""
    has_any = not inputs.names
    for taken in inputs:
        has_any = True
        yield taken
    if not has_any:
        raise Unreadable(f"nothing is written: {plural(len(inputs.names), 'file')} can't be read")
    for entry in entries:
        session = read_session(library, entry.id)
        print_errors(f"{entry.id}: {sentence}" for sentence in left_out(session))
        yield Taken(session.conversation, _title(entry), entry.id)


def _made(folder: Path) -> Path:
    """Return a folder, which is made if it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unreadable(f"{folder}: it can't be made: {error.strerror}") from None
    return folder


# Data sets of sessions.


def _write_data_set(args: Namespace, library: Library, entries: Sequence[Entry]) -> int:
    is_folder = args.out.endswith("/") or Path(args.out).is_dir()
    plan = _planned(library, entries, args, None if is_folder else args.out)
    target = Target(
        Path(args.out),
        is_folder,
        Path(args.validation) if args.validation else None,
        Path(args.manifest) if args.manifest else None,
    )
    with progress(args.out, 2, 2) as watch:
        outcome = write_dataset(library, plan, target, is_forced=args.force, step=watch.step)
    _report(library, plan, outcome, args, target)
    return 1 if plan.left_out else 0


def _planned(
    library: Library, entries: Sequence[Entry], args: Namespace, out: str | None
) -> DatasetPlan:
    converter = chosen_converter(
        args.to, out, scope=args.scope, is_training=args.fine_tuning, usual="native"
    )
    for name in OF_SPLITS:
        if args.split is None and getattr(args, name) is not None:
            raise Unreadable(f"--{name} needs --split")
    if not entries:
        raise Unreadable(f"{NO_MATCH}: {args.where}")
    order = DatasetRequest(
        converter.format,
        args.scope,
        args.fine_tuning,
        args.split,
        args.seed or 0,
        (NEAR if args.split is not None else 1.0) if args.near is None else args.near,
        args.where,
    )
    with progress("sessions", 1, 2) as watch:
        return plan_dataset(library, entries, order, watch.step)


def _report(
    library: Library, plan: DatasetPlan, outcome: WrittenDataset, args: Namespace, target: Target
) -> None:
    """Print to standard error what was left out, and where the rest is."""
    if args.manifest is None and len(plan.records) == 1:
        session = read_session(library, plan.records[0].entry.id)
        print_errors(f"{session.id}: {sentence}" for sentence in left_out(session))
    print_errors(f"{_title(one.entry)} is left out: {one.reason}" for one in plan.left_out)
    for group in plan.conflicting:
        verdicts = " and ".join(sorted({one.entry.status for one in group}))
        ids = ", ".join(one.entry.id for one in group)
        print_errors([f"{verdicts} in one group of duplicates: {ids}"])
    print_errors(sentences(outcome.warnings))
    left = f", {len(plan.left_out):,} left out" if plan.left_out else ""
    name, is_split = plan.order.format.name, plan.order.ratio is not None
    for portion, count in outcome.counts.items():
        path = str(target.file_of(portion))
        if target.is_folder:
            path = _within(target, outcome, f"{path}/{portion}" if is_split else path)
        use = "training" if portion == "train" else portion
        kind = f"{name}, for {use}" if is_split else name
        print_errors([f"{plural(count, 'conversation')} written to {path} ({kind}){left}"])


def _within(target: Target, outcome: WrittenDataset, folder: str) -> str:
    """Return the folder that files are in, or the only file there."""
    only = outcome.files[0].path.name if len(outcome.files) == 1 else ""
    return f"{folder}/{only}" if only and folder == str(target.out) else folder


def _title(entry: Entry) -> str:
    return f"session {entry.id} ({entry.title})"
