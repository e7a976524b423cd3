"""The command line: reads the arguments, and only then imports what the command needs."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from ctxtui import __version__

if TYPE_CHECKING:
    from core import Conversation

FINE, FINDINGS, BAD_INPUT = 0, 1, 2
LARGE = 2_000_000
"""Bytes that take so long to read that a user would wonder."""


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are one sentence, in which nothing can act on a terminal."""

    def error(self, message: str) -> NoReturn:
        """Print the sentence and leave."""
        sys.exit(_say(f"{message}; {self.prog} --help shows how"))


class Command(NamedTuple):
    """A headless command: its name, what it does, and the module that does it."""

    name: str
    about: str

    @property
    def module(self) -> str:
        """Return where its arguments and its ``run`` are."""
        return f"ctxtui.cli.{self.name}"


COMMANDS = (
    Command("replay", "run a script and print every step"),
    Command("apply", "apply a recipe to a conversation"),
    Command("compare", "see what several recipes would make of a conversation"),
    Command("lint", "find what makes a conversation invalid for a provider"),
    Command("show", "print messages"),
    Command("diff", "compare two batches"),
    Command("why", "tell which operation hid a message"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, or open the app on a file; return the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that can't show a symbol gets its number instead of a traceback.
        with contextlib.suppress(AttributeError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if sys.stdout is None or sys.stderr is None:
        return BAD_INPUT  # There is nobody to tell.
    command = next((one for one in COMMANDS if given and one.name == given[0]), None)
    try:
        code = _open(given) if command is None else _run(command, given[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads us has seen enough; nothing may be written at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    except OSError as error:
        # Nothing more may be written at exit, or Python would complain in its own words.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _say(f"standard output can't be written: {error.strerror}")
    except KeyboardInterrupt:
        return _say("interrupted")
    return code


def _run(command: Command, given: list[str]) -> int:
    module = import_module(command.module)
    parser = Parser(
        prog=f"ctxtui {command.name}",
        description=f"{command.about[0].upper()}{command.about[1:]}.",
        epilog="Exit code: 0 fine, 1 findings or a refused operation, 2 bad usage or input.",
    )
    module.arguments(parser)
    asked = parser.parse_args(given)
    from core.errors import Refused
    from ctxtui.cli.inputs import Unreadable

    try:
        code: int = module.run(asked)
    except (Unreadable, Refused) as problem:
        return _say(str(problem))
    return code


def _open(given: list[str]) -> int:
    """Open the app on a file."""
    width = max(len(command.name) for command in COMMANDS)
    commands = "\n".join(f"  {one.name:<{width}}  {one.about}" for one in COMMANDS)
    parser = Parser(
        prog="ctxtui",
        usage="ctxtui [--help] [--version] FILE | COMMAND ...",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Look inside an LLM conversation's context: FILE opens in the app.",
        epilog=f"commands, each with --help:\n{commands}\n\n"
        "Exit code: 0 fine, 1 findings or a refused operation, 2 bad usage or input.",
    )
    parser.add_argument("file", metavar="FILE", help="a conversation or a script")
    parser.add_argument("--version", action="version", version=f"ctxtui {__version__}")
    asked = parser.parse_args(given)
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if is_terminal and Path(asked.file).is_file() and Path(asked.file).stat().st_size > LARGE:
        return _run_app(asked.file, None)
    from core.errors import Refused
    from ctxtui.cli.inputs import Unreadable, open_conversation

    try:
        conversation = open_conversation(asked.file).conversation
    except (Unreadable, Refused) as problem:
        return _say(str(problem))
    if not is_terminal:
        return _say("the app needs a terminal: standard input and output must both be one")
    return _run_app(asked.file, conversation)


def _run_app(file: str, conversation: Conversation | None) -> int:
    """Run the app; a large file is read while something already moves on the screen."""
    from ctxtui.app import CtxtuiApp
    from ctxtui.cli.inputs import read_conversation

    app = CtxtuiApp(conversation or (lambda watch: read_conversation(file, watch)), Path(file).name)
    problem = app.run()
    return FINE if problem is None else _say(problem)


def _say(sentence: str) -> int:
    """Print one sentence to standard error and return the exit code of bad input."""
    from ctxtui.render.symbols import visible

    print(f"ctxtui: {visible(sentence)}", file=sys.stderr)
    return BAD_INPUT
