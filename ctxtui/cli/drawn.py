"""What commands that draw share: where a drawing goes, and what is told of it."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path

from ctxtui.cli.output import print_json, print_problems
from ctxtui.cli.streams import saved_output
from ctxtui.core.errors import Refused, format_value
from ctxtui.files.writing import write_whole
from ctxtui.symbols import visible

PRINTED = "-"


def out_argument(parser: ArgumentParser, about: str) -> None:
    """Declare where the drawing goes."""
    parser.add_argument("-o", "--out", metavar="OUT", required=True, help=about)


def kind_of(out: str, endings: Mapping[str, str], asked: str | None = None) -> str:
    """Return what is written: what was asked for, else what the name ends with says.

    A name without an ending promises nothing, so that it gets the first kind; one with the ending
    of something else would, and is refused.
    """
    ending = Path(out).suffix
    if asked is not None:
        return asked
    if out == PRINTED or not ending:
        return next(iter(endings.values()))
    if ending.lower() not in endings:
        legal = " or ".join(endings)
        sentence = f"out {format_value(out)} ends with {visible(ending)}; {legal} can be written"
        raise Refused(sentence, field="out", value=out, legal=legal)
    return endings[ending.lower()]


def write_drawing(asked: Namespace, text: str, told: Mapping[str, object]) -> None:
    """Write a drawing, or print it; say where it is, for people or as JSON."""
    if asked.out == PRINTED:
        sys.stdout.write(text)
        return
    write_whole(Path(asked.out), text)
    if asked.json:
        with saved_output():
            print_json({"written": asked.out, **told})
    else:
        print_problems([f"written to {asked.out}"])
