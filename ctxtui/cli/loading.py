"""Loading modules: ctrl+c waits until they are there."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def whole_modules() -> Iterator[None]:
    """Let ctrl+c act only when what is imported here is loaded.

    A compiled module whose loading is interrupted may panic, which no KeyboardInterrupt tells.
    """
    is_ours = threading.current_thread() is threading.main_thread()
    if not is_ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        # Whoever handles or ignores it has decided already what it does.
        yield
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if came:
        raise KeyboardInterrupt
