"""Running the app from the command line, and loading what it needs."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ctxtui.cli.streams import print_error

if TYPE_CHECKING:
    from ctxtui.app import CtxtuiApp

NO_TERMINAL = "the app needs a terminal: standard input and output must both be one"
FINE, CRASHED, BAD_INPUT = 0, 1, 2


def run_app(app: CtxtuiApp) -> int:
    """Run the app and return the exit code; what it returns is why nothing could be opened."""
    problem = app.run()
    if app.return_code:
        print_error(
            "the app has crashed, which it never should: what it called saved is on disk, and "
            "the traceback above is what a bug report needs"
        )
        return CRASHED
    if problem is None:
        return FINE
    print_error(problem)
    return BAD_INPUT


@contextmanager
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
