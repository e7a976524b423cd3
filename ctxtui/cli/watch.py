"""``ctxtui watch``: the sessions that other programs are writing, as they grow."""

from __future__ import annotations

from ctxtui.app import CtxtuiApp
from ctxtui.cli.inputs import library_argument
from ctxtui.cli.output import print_json
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.running import BAD_INPUT, NO_TERMINAL, run_app
from ctxtui.cli.streams import has_terminal, print_error
from ctxtui.cli.threads import thread_data
from ctxtui.core.storage import Library
from ctxtui.files.sessions import open_library
from ctxtui.watch.models import PendingCall, WatchedThread, Watching


def arguments(parser: Parser) -> None:
    """Declare the arguments."""
    library_argument(parser)
    parser.option("--json", "print who writes what right now as JSON, and end")


def run(args: Namespace) -> int:
    """Watch in the app, or print what there is."""
    library = open_library(args.library)
    if not args.json:
        return _watch(library)
    watching = Watching(library)
    watching.read()
    while watching.take():
        pass  # Those that are written are all found in the first look.
    written = [thread for thread in watching.threads if thread.holder is not None]
    flying = [_flying(pending) for pending in watching.pending]
    print_json({"sessions": [_told(thread) for thread in written], "inFlight": flying})
    return 0


def _watch(library: Library) -> int:
    if not has_terminal():
        print_error(NO_TERMINAL)
        return BAD_INPUT
    return run_app(CtxtuiApp(library=library, is_watching=True))


def _flying(pending: PendingCall) -> dict[str, object]:
    return {
        "session": pending.session,
        "time": pending.time,
        "model": pending.model or None,
        "messages": pending.messages,
    }


def _told(thread: WatchedThread) -> dict[str, object]:
    look, told = thread.look, thread_data(thread)
    return {
        "id": told.pop("session"),
        **told,
        "changed": thread.figures.changed,
        "messages": look.log_size,
        "visible": len(look.view),
        "tokens": look.total,
        "counter": look.counter,
    }
