"""What commands that draw share: where a drawing goes, and what is told of it."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path

from ctxtui.cli.output import print_json, print_problems
from ctxtui.cli.streams import saved_output
from ctxtui.files.writing import write_whole

PRINTED = "-"


def out_argument(parser: ArgumentParser, about: str) -> None:
    """Declare where the drawing goes."""
    parser.add_argument("-o", "--out", metavar="OUT", required=True, help=about)


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
