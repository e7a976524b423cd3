"""``ctxtui watch``: the sessions that other programs are writing, as they grow."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ctxtui.app import CtxtuiApp
from ctxtui.cli.inputs import library_argument
from ctxtui.cli.output import print_json
from ctxtui.cli.running import BAD_INPUT, NO_TERMINAL, run_app
from ctxtui.cli.streams import has_terminal, print_error
from ctxtui.cli.threads import thread_data
from ctxtui.core.storage import Library
from ctxtui.files.sessions import open_library
from ctxtui.watch.models import Flight, Lane, Watching


def arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    library_argument(parser)
    parser.add_argument(
        "--json", action="store_true", help="print who writes what right now as JSON, and end"
    )


def run(args: Namespace) -> int:
    """Watch in the app, or print what there is."""
    library = open_library(args.library)
    if not args.json:
        return _watch(library)
    watching = Watching(library)
    watching.read()
    while watching.take():
        pass  # Those that are written are all found in the first look.
    written = [lane for lane in watching.lanes if lane.holder is not None]
    flying = [_flying(flight) for flight in watching.flights]
    print_json({"sessions": [_told(lane) for lane in written], "inFlight": flying})
    return 0


def _watch(library: Library) -> int:
    if not has_terminal():
        print_error(NO_TERMINAL)
        return BAD_INPUT
    return run_app(CtxtuiApp(library=library, is_watching=True))


def _flying(flight: Flight) -> dict[str, object]:
    return {
        "session": flight.session,
        "time": flight.time,
        "model": flight.model or None,
        "messages": flight.messages,
    }


def _told(lane: Lane) -> dict[str, object]:
    look, told = lane.look, thread_data(lane)
    return {
        "id": told.pop("session"),
        **told,
        "changed": lane.figures.changed,
        "messages": look.log_size,
        "visible": len(look.view),
        "tokens": look.total,
        "counter": look.counter,
    }
