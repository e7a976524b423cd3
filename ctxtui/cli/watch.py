"""``ctxtui watch``: the sessions that other programs are writing, as they grow."""

from __future__ import annotations

from ctxtui.app import CtxtuiApp
from ctxtui.cli import NO_TERMINAL, run_app
from ctxtui.cli.inputs import library_argument
from ctxtui.cli.output import print_json
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.streams import has_terminal
from ctxtui.cli.threads import thread_data
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.sessions import open_library
from ctxtui.watch.models import WatchedThread, Watching


def arguments(parser: Parser) -> None:
    library_argument(parser)
    parser.option("--json", "print who writes what right now as JSON, and end")


def run(args: Namespace) -> int:
    """Watch in the app, or print what there is."""
    library = open_library(args.library)
    if not args.json:
        if not has_terminal():
            raise Unreadable(NO_TERMINAL)
        return run_app(CtxtuiApp(library=library, home="watch"))
    watching = Watching(library)
    watching.read()
    while watching.take():
        pass  # Those that are written are all found in the first look.
    written = [thread for thread in watching.threads if thread.holder is not None]
    in_flight = [
        {"session": one.session, "time": one.time, "model": one.model or None}
        | {"messages": one.messages}
        for one in watching.pending
    ]
    print_json({"sessions": [_data(thread) for thread in written], "inFlight": in_flight})
    return 0


def _data(thread: WatchedThread) -> dict[str, object]:
    look, data = thread.look, thread_data(thread)
    return {
        "id": data.pop("session"),
        **data,
        "changed": thread.figures.changed,
        "messages": look.log_size,
        "visible": len(look.view),
        "tokens": look.total,
        "counter": look.counter,
    }
