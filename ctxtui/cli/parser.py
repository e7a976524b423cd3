"""The parser of every command: options are declared as its help shows them."""

from __future__ import annotations

import argparse
import sys
from argparse import Namespace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from ctxtui.cli.streams import print_error

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

__all__ = ["BAD_INPUT", "FINDINGS", "FINE", "Namespace", "Parser"]

FINE, FINDINGS, BAD_INPUT = 0, 1, 2


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence, in which nothing can act on a terminal."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.register("type", int, partial(_number, is_whole=True))
        self.register("type", float, partial(_number, is_whole=False))

    def option(
        self, usage: str, about: str, group: argparse._ActionsContainer | None = None, **more: Any
    ) -> None:
        """Declare an option: ``-o --out OUT`` has a value, ``--json`` alone is a switch."""
        words = usage.split()
        names = [word for word in words if word.startswith("-")]
        values = tuple(words[len(names) :])
        if values:
            more["metavar"] = values if len(values) > 1 else values[0]
        elif not more:
            more["action"] = "store_true"
        (group or self).add_argument(*names, help=about, **more)

    def error(self, message: str) -> NoReturn:
        print_error(f"{message}; {self.prog} --help shows how")
        sys.exit(BAD_INPUT)

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Print help or a version; argparse itself would ignore that it can't be written."""
        print(message, end="", file=file)


def _number(text: str, *, is_whole: bool) -> float:
    """Return the number of an argument; argparse alone would also accept ``٣`` and ``1_0``."""
    numbers = import_module("ctxtui.core.values.numbers")
    try:
        if is_whole:
            return int(numbers.read_integer(text, "number", -numbers.MOST))
        return float(numbers.read_decimal(text, "number"))
    except ValueError as refusal:
        raise argparse.ArgumentTypeError(str(refusal)) from None
