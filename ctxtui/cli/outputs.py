"""What commands that write conversations share: where they go, in which format, what is told."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path

from ctxtui.cli.output import print_problems
from ctxtui.core.curation.dataset import SCOPES
from ctxtui.core.formats import WRITABLE
from ctxtui.core.formats.warnings import sentences
from ctxtui.files.converting import Report, Taken, chosen_converter
from ctxtui.files.fences import Unreadable
from ctxtui.files.writing import write_whole
from ctxtui.text.plurals import plural


def output_arguments(parser: ArgumentParser, usual: str) -> None:
    """Declare where the conversations go and how."""
    parser.add_argument(
        "-o",
        "--out",
        metavar="OUT",
        help="one file for all of them (NAME.jsonl: a line each), or a folder that exists or "
        "ends with /, for a file each; else they are printed",
    )
    parser.add_argument("--to", choices=WRITABLE, help=f"the format; else {usual}")
    parser.add_argument(
        "--scope",
        choices=SCOPES,
        help="what is written: visible messages (as usual), or raw: every message ever added",
    )
    parser.add_argument(
        "--fine-tuning",
        action="store_true",
        help="write lines of openai for training; conversations with an error of the profile "
        "fine-tuning are left out and told",
    )


def write_out(asked: Namespace, taken: Iterable[Taken], usual: str | None) -> Report:
    """Write all conversations as asked; say what was left out, and where the rest is."""
    out = None if asked.out in (None, "-") else asked.out
    is_folder = out is not None and (out.endswith("/") or Path(out).is_dir())
    converter = chosen_converter(
        asked.to,
        None if is_folder else out,
        scope=asked.scope,
        is_training=asked.fine_tuning,
        usual=usual,
    )
    report = Report()
    if out is None:
        sys.stdout.writelines(converter.together(taken, "", report))
    elif is_folder:
        folder = _made(Path(out))
        files = list(converter.each(taken, folder, report))
        for path in files if len(files) == 1 else ():
            out = str(path)
    else:
        write_whole(Path(out), converter.together(taken, out, report))
    print_problems(f"{called} is left out: {why}" for called, why in report.left_out)
    print_problems(sentences(report.collector.found()))
    if out is not None:
        left = f", {len(report.left_out):,} left out" if report.left_out else ""
        count = plural(report.written, "conversation")
        print_problems([f"{count} written to {out} ({converter.format.name}){left}"])
    return report


def _made(folder: Path) -> Path:
    """Return a folder, which is made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unreadable(f"{folder}: it can't be made: {error.strerror}") from None
    return folder
