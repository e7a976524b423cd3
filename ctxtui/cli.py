"""The command line: reads arguments and only then imports what it needs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ctxtui import __version__

FINE, BAD_USAGE = 0, 2


def parser() -> argparse.ArgumentParser:
    """Return the parser of all arguments."""
    found = argparse.ArgumentParser(
        prog="ctxtui",
        description="Look inside an LLM conversation's context.",
        epilog="Press q to leave the app. Exit code: 0 fine, 2 bad usage or input.",
    )
    found.add_argument("file", metavar="FILE", help="a script: messages, settings and steps")
    found.add_argument("--version", action="version", version=f"ctxtui {__version__}")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Open the app on a file; return the exit code."""
    asked = parser().parse_args(arguments)
    from core.errors import Refused
    from ctxtui.opening import Unreadable, open_file

    try:
        conversation = open_file(asked.file)
    except (Unreadable, Refused) as problem:
        return _say(f"{asked.file}: {problem}")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _say("the app needs a terminal: standard input and output must both be one")
    from ctxtui.app import CtxtuiApp

    CtxtuiApp(conversation).run()
    return FINE


def _say(sentence: str) -> int:
    """Print one sentence to standard error and return the exit code of bad input."""
    from ctxtui.render.symbols import visible

    print(f"ctxtui: {visible(sentence)}", file=sys.stderr)
    return BAD_USAGE
