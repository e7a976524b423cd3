"""``ctxtui convert``: conversations of files, written in another format."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from ctxtui.cli.inputs import check_inputs
from ctxtui.cli.output import print_problems, progress
from ctxtui.cli.outputs import output_arguments, write_out
from ctxtui.core.formats import READABLE
from ctxtui.core.formats.warnings import sentences
from ctxtui.files.converting import Taken
from ctxtui.files.fences import Unreadable
from ctxtui.files.opening import Opened, open_source, parse_conversations
from ctxtui.files.reading import found_files
from ctxtui.text.plurals import plural


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "files",
        metavar="IN",
        nargs="+",
        help="files, folders, or patterns such as 'logs/*.jsonl'; - reads standard input",
    )
    parser.add_argument(
        "--from", dest="format", choices=READABLE, help="the format of IN; else it is detected"
    )
    output_arguments(parser, "that of OUT's ending: .json is native")


class Inputs:
    """The conversations of some files, one after the other; what can't be read is told."""

    def __init__(self, names: list[str], format: str | None) -> None:
        self.names = found_files(names)
        self._format = format
        self.unread = 0

    @property
    def paths(self) -> set[Path]:
        """Return where the files are, links followed."""
        return {Path(name).resolve() for name in self.names if name != "-"}

    def __iter__(self) -> Iterator[Taken]:
        """Yield every conversation as soon as it is read."""
        for number, name in enumerate(self.names, 1):
            try:
                with progress(name, number, len(self.names)) as watch:
                    source = open_source(name, watch)
                    for opened in parse_conversations(name, source, self._format):
                        print_problems(
                            f"{name}: {problem}" for problem in sentences(opened.warnings)
                        )
                        yield _taken(name, opened)
                    print_problems(f"{name}: {problem}" for problem in sentences(source.warnings))
            except Unreadable as problem:
                self.unread += 1
                print_problems([str(problem)])


def run(asked: Namespace) -> int:
    """Write what can be read; 1 means that something was left out, 2 that nothing could be read."""
    check_inputs(*asked.files)
    inputs = Inputs(asked.files, asked.format)
    out = Path(asked.out).resolve() if asked.out not in (None, "-") else None
    if out is not None and any(
        name != "-" and Path(name).resolve() == out for name in inputs.names
    ):
        raise Unreadable(f"{asked.out}: it is read, so it can't be written too")
    report = write_out(asked, _some(inputs), None if asked.out else "native")
    return 1 if inputs.unread or report.left_out else 0


def _some(inputs: Inputs) -> Iterator[Taken]:
    """Yield the conversations; there must be one, or a file that is there would be emptied."""
    found = False
    for taken in inputs:
        found = True
        yield taken
    if not found:
        raise Unreadable(f"nothing is written: {plural(len(inputs.names), 'file')} can't be read")


def _taken(name: str, opened: Opened) -> Taken:
    path = Path(name)
    stem = "conversation" if name == "-" else path.name.removesuffix(path.suffix)
    is_alone = opened.layout.value in ("document", "items")
    called = name if is_alone else f"{name}: conversation {opened.place}"
    return Taken(opened.conversation, called, stem, opened.layout)
