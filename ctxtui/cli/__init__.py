"""The command line: reads the arguments, and only then imports what the command needs."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ctxtui import __version__
from ctxtui.cli.loading import whole_modules
from ctxtui.cli.output import open_closed_streams, silence, tell
from ctxtui.cli.running import NO_TERMINAL, has_terminal, run_app

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


FINE = 0
FINDINGS = 1
BAD_INPUT = 2
EXIT_CODES = (
    "Exit code: 0 fine, 1 findings or a refused operation, 2 bad usage or input, 130 interrupted."
)
PRINTING = ("show", "list", "search", "diff", "calls", "why", "compare", "check", "export", "learn")
"""Commands of which nothing is left undone when nobody reads the rest of their output."""
WHERE = "--where"
LARGE = 2_000_000
"""Bytes that take so long to read that a user would wonder."""


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are one sentence, in which nothing can act on a terminal."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.register("type", int, partial(_number, is_whole=True))
        self.register("type", float, partial(_number, is_whole=False))

    def error(self, message: str) -> NoReturn:
        """Print the sentence and leave."""
        sys.exit(_say(f"{message}; {self.prog} --help shows how"))

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Print help or a version; argparse itself would keep silent about what is lost."""
        print(message, end="", file=file)


def _number(text: str, *, is_whole: bool) -> float:
    """Return the number that an argument is; argparse alone would also take ``٣`` and ``1_0``."""
    numbers = import_module("ctxtui.core.values.numbers")
    try:
        if is_whole:
            return int(numbers.read_integer(text, "number", -numbers.MOST))
        return float(numbers.read_decimal(text, "number"))
    except ValueError as refusal:
        raise argparse.ArgumentTypeError(str(refusal)) from None


class Subcommand(NamedTuple):
    """A headless command: its name, what it does, and the module that does it."""

    name: str
    about: str
    file: str | None = None
    """The module's name, where the command's own can't be one."""

    @property
    def module(self) -> str:
        """Return where its arguments and its ``run`` are."""
        return f"ctxtui.cli.{self.file or self.name}"


COMMANDS = (
    Subcommand("capture", "record what an agent really sends, while it runs"),
    Subcommand("replay", "run a script and print every step"),
    Subcommand("apply", "apply a recipe or a policy to a conversation"),
    Subcommand("compare", "see what several recipes would make of a conversation"),
    Subcommand("simulate", "let policies run over every call of a conversation"),
    Subcommand("lint", "find what makes a conversation invalid for a provider"),
    Subcommand("show", "print messages"),
    Subcommand("diff", "compare two batches"),
    Subcommand("calls", "tell what was really sent, call by call, and what it cost"),
    Subcommand("why", "tell which operation hid a message"),
    Subcommand("screenshot", "take a picture of a screen, without a terminal"),
    Subcommand("timeline", "draw the batches as a picture for slides and issues"),
    Subcommand("search", "find a text in all sessions"),
    Subcommand("check", "check that conversations keep what the engine promises"),
    Subcommand("squash", "make a new conversation of what is visible"),
    Subcommand("convert", "write conversations of files in another format"),
    Subcommand("import", "put files into the library as sessions", "importing"),
    Subcommand("list", "list the sessions of the library", "listing"),
    Subcommand("status", "judge sessions: accepted, rejected, needs work and so on"),
    Subcommand("tag", "give sessions tags, or take them away"),
    Subcommand("note", "write a note about sessions, or about a message"),
    Subcommand("watch", "watch the sessions that other programs are writing"),
    Subcommand("threads", "list the threads of recorded runs, merge, split or rename them"),
    Subcommand("serve", "show the app in a browser"),
    Subcommand("export", "write sessions to files"),
    Subcommand("replace", "replace what a pattern finds in sessions"),
    Subcommand("dedupe", "find sessions that are the same, or nearly"),
    Subcommand("corpus", "carry out a plan over any number of conversations"),
    Subcommand("split", "make two sessions of one"),
    Subcommand("verify", "check that sessions are whole"),
    Subcommand("learn", "list the lessons, open one, or check one of your own"),
    Subcommand("delete", "put sessions into the trash, take them out, or empty it"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, or open the app on a file; return the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that can't show a symbol gets its number instead of a traceback.
        with contextlib.suppress(AttributeError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    command = next((one for one in COMMANDS if given and one.name == given[0]), None)
    try:
        code = _do(command, given)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads us has seen enough.
        silence(sys.stdout)
        return FINE if command is not None and command.name in PRINTING else FINDINGS
    except OSError as error:
        if error.filename is not None:
            return _say(f"{error.filename}: {error.strerror}")
        silence(sys.stdout)
        return _say(f"standard output can't be written: {error.strerror}")
    except MemoryError:
        return _say("there is not enough memory for that")
    except KeyboardInterrupt:
        silence(sys.stdout)
        raise
    return code


def _do(command: Subcommand | None, given: list[str]) -> int:
    """Run a command or the app; help, version and bad usage end early."""
    try:
        return _open(given) if command is None else _run(command, given[1:])
    except SystemExit as left:
        return int(left.code or FINE)


def _run(command: Subcommand, given: list[str]) -> int:
    with whole_modules():
        module = import_module(command.module)
        from ctxtui.core.errors import Refused
        from ctxtui.files.fences import Unreadable
    parser = Parser(
        prog=f"ctxtui {command.name}",
        description=f"{command.about[0].upper()}{command.about[1:]}.",
        epilog=EXIT_CODES,
    )
    module.arguments(parser)
    prepared: Callable[[list[str]], list[str]] = getattr(module, "prepared", list)
    told = _joined(prepared(given))
    # Names among options are read by a way of argparse that would forget what stands behind "--".
    is_mixed = parser.get_default("mixed") and "--" not in told
    asked = (parser.parse_intermixed_args if is_mixed else parser.parse_args)(told)
    try:
        code: int = module.run(asked)
    except (Unreadable, Refused) as problem:
        return _say(str(problem), _code(problem))
    except RecursionError:
        return _say("what was given is nested deeper than can be worked on")
    return code


def _joined(given: list[str]) -> list[str]:
    """Return arguments in which ``--where`` and its value are one: that may begin with a minus."""
    joined: list[str] = []
    rest = iter(given)
    for one in rest:
        value = next(rest, None) if one == WHERE else None
        joined.append(one if value is None else f"{one}={value}")
        if one == "--":
            joined += rest
    return joined


def _code(problem: Exception) -> int:
    """Return the exit code of a problem: what storage refuses is no fault of the input."""
    from ctxtui.core.storage import NotFound, StorageError

    is_refused = isinstance(problem, StorageError) and not isinstance(problem, NotFound)
    return FINDINGS if is_refused else BAD_INPUT


def _open(given: list[str]) -> int:
    """Open the app on a file, a session or the library."""
    width = max(len(command.name) for command in COMMANDS)
    commands = "\n".join(f"  {one.name:<{width}}  {one.about}" for one in COMMANDS)
    parser = Parser(
        prog="ctxtui",
        usage="ctxtui [--help] [--version] [--library DIR] [--follow] [FILE or SESSION] | "
        "COMMAND ...",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Look inside an LLM conversation's context: a file or a session opens in the "
        "app; without either, the library does.",
        epilog=f"commands, each with --help:\n{commands}\n\n{EXIT_CODES}",
    )
    parser.add_argument("name", metavar="FILE", nargs="?", help="a file, or a stored session")
    parser.add_argument("--library", metavar="DIR", help="the folder of the library")
    parser.add_argument(
        "--follow", action="store_true", help="read FILE on while another program writes it"
    )
    parser.add_argument("--version", action="version", version=f"ctxtui {__version__}")
    asked = parser.parse_args(given)
    with whole_modules():
        from ctxtui.core.errors import Refused
        from ctxtui.files.fences import Unreadable
        from ctxtui.files.following import follow_file
        from ctxtui.files.opening import read_conversation
        from ctxtui.files.reading import spelled
        from ctxtui.files.sessions import is_file, open_library, open_target

    library, name = open_library(asked.library), asked.name
    if asked.follow and (name is None or not is_file(name)):
        return _say(
            "--follow needs a file that another program writes; sessions are followed as they are"
        )
    if not has_terminal():
        try:
            if name is not None and is_file(name):
                read_conversation(name)
        except (Unreadable, Refused) as problem:
            return _say(str(problem))
        return _say(NO_TERMINAL)
    with whole_modules():
        from ctxtui.app import CtxtuiApp
    if name is None:
        return run_app(CtxtuiApp(library=library))
    if _is_large(name) and not asked.follow:
        later = partial(open_target, library, name)
        return run_app(CtxtuiApp(later, library, spelled(Path(name).name)))
    try:
        start = follow_file(library, name) if asked.follow else open_target(library, name)
    except (Unreadable, Refused) as problem:
        return _say(str(problem))
    return run_app(CtxtuiApp(start, library))


def _is_large(name: str) -> bool:
    """Tell whether a file takes so long to read that something should move meanwhile."""
    return Path(name).is_file() and Path(name).stat().st_size > LARGE


def _say(sentence: str, code: int = BAD_INPUT) -> int:
    """Print one sentence to standard error and return an exit code, that of bad input usually."""
    tell(sentence)
    return code
