"""Running the app from the command line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ctxtui.cli.output import is_terminal, tell

if TYPE_CHECKING:
    from ctxtui.app import CtxtuiApp


NO_TERMINAL = "the app needs a terminal: standard input and output must both be one"
FINE, CRASHED, BAD_INPUT = 0, 1, 2


def has_terminal() -> bool:
    """Tell whether the app can be shown and typed into."""
    return is_terminal(sys.stdin) and is_terminal(sys.stdout)


def run_app(app: CtxtuiApp) -> int:
    """Run the app and return the exit code; a sentence from it tells what could not be opened."""
    problem = app.run()
    if app.return_code:
        tell(
            "the app has crashed, which it never should: what it called saved is on disk, and "
            "the traceback above is what a bug report needs"
        )
        return CRASHED
    if problem is None:
        return FINE
    tell(problem)
    return BAD_INPUT
