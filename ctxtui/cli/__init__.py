"""The command line: reads the arguments, and only then imports what the command needs."""

from __future__ import annotations

import argparse
import contextlib
import gc
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ctxtui import __version__
from ctxtui.cli.parser import BAD_INPUT, FINDINGS, FINE, Parser
from ctxtui.cli.streams import has_terminal, open_closed_streams, print_error, silence

if TYPE_CHECKING:
    from ctxtui.app import CtxtuiApp
    from ctxtui.core.storage import Library, Session
    from ctxtui.files.following import FileFollower


EXIT_CODES = (
    "Exit code: 0 fine, 1 findings or a refused operation, 2 bad usage or input, 130 interrupted."
)
WHERE = "--where"
LARGE_FILE = 2_000_000
"""Bytes of a file that takes so long to read that the app shows its progress."""


class Subcommand(NamedTuple):
    """A headless command: its group in the help, its name and what it does."""

    group: str
    name: str
    about: str
    file: str | None = None
    """The name of its module, where that differs from the command's."""
    only_prints: bool = False
    """Whether nothing is left undone when the rest of its output is not read."""

    @property
    def module(self) -> str:
        """Return the module: ``arguments`` declares what it takes, ``run`` gives its exit code."""
        return f"ctxtui.cli.{self.file or self.name}"


COMMANDS = (
    Subcommand("look", "show", "print messages", only_prints=True),
    Subcommand("look", "lint", "find what makes a conversation invalid for a provider"),
    Subcommand("look", "diff", "compare two batches", only_prints=True),
    Subcommand("look", "why", "show which operation hid a message", only_prints=True),
    Subcommand("look", "calls", "show what each model call sent and cost", only_prints=True),
    Subcommand("look", "find", "list the transcripts of coding agents on this machine"),
    Subcommand("look", "screenshot", "take a picture of a screen, without a terminal"),
    Subcommand("look", "timeline", "draw the batches for slides and issues"),
    Subcommand("look", "film", "record the journal as it is played, as an animation"),
    Subcommand("try", "apply", "apply a recipe or a policy to a conversation"),
    Subcommand("try", "simulate", "run policies and recipes over every call, and compare them"),
    Subcommand(
        "try", "policies", "list the presets: strategies of known libraries", only_prints=True
    ),
    Subcommand("try", "replay", "run a script and print every step"),
    Subcommand("record", "capture", "record what an agent really sends, while it runs"),
    Subcommand("record", "watch", "watch the sessions that other programs are writing"),
    Subcommand("record", "threads", "list the threads of recorded runs, merge, split or rename"),
    Subcommand("library", "import", "make sessions of files", "importing"),
    Subcommand("library", "list", "list the sessions", "listing", only_prints=True),
    Subcommand("library", "search", "find text in all sessions", only_prints=True),
    Subcommand("library", "status", "give sessions a verdict: accepted, rejected, needs work …"),
    Subcommand("library", "tag", "add tags to sessions, or remove them"),
    Subcommand("library", "note", "write a note about sessions, or about a message"),
    Subcommand("library", "split", "make two sessions of one"),
    Subcommand("library", "squash", "make a new conversation of what is visible"),
    Subcommand("library", "verify", "check that sessions and files are whole"),
    Subcommand("library", "delete", "move sessions to the trash, restore them, or empty it"),
    Subcommand("library", "serve", "show the app in a browser"),
    Subcommand("data sets", "export", "write sessions or files in any format", only_prints=True),
    Subcommand("data sets", "replace", "replace text in sessions, after a dry run"),
    Subcommand("data sets", "dedupe", "find duplicates and near duplicates"),
    Subcommand("data sets", "corpus", "run a plan over any number of conversations"),
    Subcommand("teach", "learn", "list the lessons, open one, or check one", only_prints=True),
)
RENAMED = {
    "check": "check is part of verify now: ctxtui verify FILE or SESSION",
    "compare": "compare is part of simulate now: ctxtui simulate FILE --policy RECIPE …",
    "convert": "convert is part of export now: ctxtui export FILE… --to FORMAT -o OUT",
    "lanes": "lanes are called threads now: ctxtui threads",
}
"""Commands of earlier versions, and what replaces them."""


NO_TERMINAL = "the app needs a terminal: standard input and output must both be one"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, or open the app on a file; return the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that can't show a symbol gets its number instead of a traceback.
        with contextlib.suppress(AttributeError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    command = next((one for one in COMMANDS if words and one.name == words[0]), None)
    try:
        code = _run(command, words)
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)
        return FINE if command is not None and command.only_prints else FINDINGS
    except OSError as error:
        if error.filename is not None:
            return _fail(f"{error.filename}: {error.strerror}")
        silence(sys.stdout)
        return _fail(f"standard output can't be written: {error.strerror}")
    except MemoryError:
        return _fail("there is not enough memory for that")
    except KeyboardInterrupt:
        silence(sys.stdout)
        raise
    return code


def _run(command: Subcommand | None, words: list[str]) -> int:
    """Run a command or the app; help, version and bad usage exit early."""
    try:
        if command is not None:
            return _run_command(command, words[1:])
        if words and words[0] in RENAMED:
            return _fail(RENAMED[words[0]])
        return _open_app(words)
    except SystemExit as exit:
        return int(exit.code or FINE)


def _run_command(command: Subcommand, words: list[str]) -> int:
    with whole_modules():
        module = import_module(command.module)
        from ctxtui.core.errors import Refused
        from ctxtui.files.sandbox import Unreadable
    parser = Parser(
        prog=f"ctxtui {command.name}",
        description=f"{command.about[0].upper()}{command.about[1:]}.",
        epilog=EXIT_CODES,
    )
    module.arguments(parser)
    prepared: Callable[[list[str]], Sequence[str]] = getattr(module, "prepared", tuple)
    words = _joined(prepared(words))
    # Names among options need a way of parsing that would forget what follows "--".
    is_mixed = parser.get_default("mixed") and "--" not in words
    args = (parser.parse_intermixed_args if is_mixed else parser.parse_args)(words)
    gc.enable()
    try:
        code: int = module.run(args)
    except (Unreadable, Refused) as problem:
        return _fail(str(problem), _code(problem))
    except RecursionError:
        return _fail("the input is nested too deep")
    return code


def _joined(words: Sequence[str]) -> list[str]:
    """Return arguments in which ``--where`` and its value are one: that may begin with a minus."""
    joined: list[str] = []
    rest = iter(words)
    for one in rest:
        value = next(rest, None) if one == WHERE else None
        joined.append(one if value is None else f"{one}={value}")
        if one == "--":
            joined += rest
    return joined


def _code(problem: Exception) -> int:
    """Return the exit code of a problem: what storage refuses is not bad input."""
    from ctxtui.core.storage import NotFound, StorageError

    is_refused = isinstance(problem, StorageError) and not isinstance(problem, NotFound)
    return FINDINGS if is_refused else BAD_INPUT


def _commands_help() -> str:
    """Return the commands in their groups, one line each."""
    width = max(len(command.name) for command in COMMANDS)
    lines: list[str] = []
    for group in dict.fromkeys(command.group for command in COMMANDS):
        lines.append(f"{group}:")
        lines += [f"  {c.name:<{width}}  {c.about}" for c in COMMANDS if c.group == group]
    return "\n".join(lines)


def _follow(library: Library, name: str) -> Session | FileFollower:
    from ctxtui.files.following import follow_file

    return follow_file(library, name)


def _open_app(words: list[str]) -> int:
    """Open the app on a file, a session or the library."""
    parser = Parser(
        prog="ctxtui",
        usage="ctxtui [--help] [--version] [--library DIR] [--follow] [FILE or SESSION] | "
        "COMMAND ...",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Look inside an LLM conversation's context: a file or a session opens in the "
        "app; without either, the library does.",
        epilog=f"commands, each with --help:\n\n{_commands_help()}\n\n{EXIT_CODES}",
    )
    parser.add_argument("name", metavar="FILE", nargs="?", help="a file, or a stored session")
    parser.option("--library DIR", "the folder of the library")
    parser.option("--follow", "follow FILE while another program writes it")
    parser.add_argument("--version", action="version", version=f"ctxtui {__version__}")
    named = parser.parse_known_args(words)[0].name if "--" not in words else None
    if named in RENAMED:
        return _fail(RENAMED[named])
    if any(command.name == named for command in COMMANDS):
        return _fail(f"{named} is a command and comes first: ctxtui {named} …")
    args = parser.parse_args(words)
    with whole_modules():
        from ctxtui.core.errors import Refused
        from ctxtui.files.reading import spelled
        from ctxtui.files.sandbox import Unreadable
        from ctxtui.files.sessions import is_file, open_library, open_target

    library, name = open_library(args.library), args.name
    if args.follow and (name is None or not is_file(name)):
        return _fail(
            "--follow needs a file that another program writes; sessions are followed as they are"
        )
    if not has_terminal():
        with whole_modules():
            from ctxtui.files.opening import read_conversation

        try:
            if name is not None and is_file(name):
                read_conversation(name)
        except (Unreadable, Refused) as problem:
            return _fail(str(problem))
        return _fail(NO_TERMINAL)
    with whole_modules():
        from ctxtui.app import CtxtuiApp
    if name is None:
        return run_app(CtxtuiApp(library=library))
    if _is_large_file(name) and not args.follow:
        later = partial(open_target, library, name)
        return run_app(CtxtuiApp(later, library, spelled(Path(name).name)))
    try:
        start = _follow(library, name) if args.follow else open_target(library, name)
    except (Unreadable, Refused) as problem:
        return _fail(str(problem))
    return run_app(CtxtuiApp(start, library))


def _is_large_file(name: str) -> bool:
    return Path(name).is_file() and Path(name).stat().st_size > LARGE_FILE


def _fail(sentence: str, code: int = BAD_INPUT) -> int:
    """Print one sentence to standard error and return an exit code."""
    print_error(sentence)
    return code


def run_app(app: CtxtuiApp) -> int:
    """Run the app and return the exit code; what it returns is why nothing could be opened."""
    problem = app.run()
    if app.return_code:
        print_error(
            "the app has crashed, which it never should: what it called saved is on disk, and "
            "the traceback above is what a bug report needs"
        )
        return FINDINGS
    if problem is None:
        return FINE
    print_error(problem)
    return BAD_INPUT


@contextlib.contextmanager
def whole_modules() -> Iterator[None]:
    """Let ctrl+c act only when what is imported here is loaded.

    A compiled module whose loading is interrupted may panic instead of raising KeyboardInterrupt.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield  # Another handler was installed, or the signal is ignored.
        return
    received: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: received.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if received:
        raise KeyboardInterrupt
