"""Where ``ctxtui`` and ``python -m ctxtui`` begin; small, to be loaded in no time."""

from __future__ import annotations

import gc
import os
import sys

INTERRUPTED = 130
"""The exit code a shell gives what ctrl+c has ended."""


def main() -> int:
    """Run the command line; ctrl+c ends it quietly, even while it is still being loaded."""
    # Nothing of what is loaded becomes garbage; commands and the app collect once they run.
    gc.disable()
    try:
        from ctxtui.cli import main as run

        return run()
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        gc.enable()


def _leave_this_folder() -> None:
    """Look for modules where this package is, not in the folder the user happens to be in.

    ``python -m`` puts that folder first, so that a ``core`` of the user's would be taken for ours.
    """
    # Not with pathlib: it might be loaded from that very folder.
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    if not sys.flags.safe_path and os.path.abspath(sys.path[0]) != ours:  # noqa: PTH100
        del sys.path[0]


if __name__ == "__main__":
    _leave_this_folder()
    sys.exit(main())
