"""``ctxtui capture``: record what an agent really sends, while it runs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from ctxtui.capture.upstreams import Upstreams, own_environment
from ctxtui.cli.addresses import LAST_PORT, LOOPBACK, is_loopback
from ctxtui.cli.captured import Telling
from ctxtui.cli.sessions import library_argument
from ctxtui.cli.streams import saved_output, tell
from ctxtui.core.errors import Refused, out_of_range
from ctxtui.files.sessions import open_library

if TYPE_CHECKING:
    from types import ModuleType

    from ctxtui.core.storage import Library

MISSING = "capture needs aiohttp, which is not installed: pip install '.[capture]' in a checkout"
ALONE = "--recover starts no proxy, so there is no command to run with it"
OPEN = "whoever can reach {host} can send calls through this proxy, and all of them are recorded"

NULL = "--allow-origin null also allows any web page that sends from a sandboxed frame"


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "command",
        metavar="COMMAND",
        nargs="*",
        help="what to run, behind --, with its calls sent here; its exit code is ours",
    )
    parser.add_argument(
        "--port", type=int, default=0, metavar="N", help="the port to listen to; else a free one"
    )
    parser.add_argument(
        "--host", default=LOOPBACK, metavar="H", help=f"the address to listen to; else {LOOPBACK}"
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="another name that requests may have as their Host, as host.docker.internal; "
        "repeatable",
    )
    parser.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="a web page or desktop app that may send requests, as app://*; repeatable",
    )
    parser.add_argument(
        "--upstream",
        metavar="URL",
        help="where all calls go on to; else where each provider's clients would send them",
    )
    parser.add_argument(
        "--recover",
        action="store_true",
        help="only record what a proxy that was killed has left, and end",
    )
    parser.add_argument("--json", action="store_true", help="print each call as a line of JSON")
    library_argument(parser)


def run(asked: Namespace) -> int:
    """Record until the command has ended, or until ctrl+c."""
    running = _running()
    if not 0 <= asked.port <= LAST_PORT:
        raise out_of_range("port", asked.port, f"0…{LAST_PORT}")
    environment = own_environment()
    plan = running.Plan(
        host=asked.host,
        port=asked.port,
        upstreams=Upstreams.of(environment, asked.upstream),
        environment=environment,
        command=tuple(asked.command),
        hosts=tuple(asked.allow_host),
        origins=tuple(asked.allow_origin),
    )
    library = open_library(asked.library)
    library.list()  # A folder that is no library is told before anything is passed on.
    told = Telling(library.folder, is_json=asked.json, is_quiet=bool(asked.command))
    if asked.recover:
        return _recover(running, library, told, asked)
    if not is_loopback(asked.host):
        tell(OPEN.format(host=asked.host))
    if "null" in map(str.lower, asked.allow_origin):
        tell(NULL)
    with saved_output():
        code: int = running.capture(plan, library, told.call, told.ready)
        told.sum_up()
    return code


def _recover(running: ModuleType, library: Library, told: Telling, asked: Namespace) -> int:
    """Record what was left, and fail where some of it could not be."""
    if asked.command:
        raise Refused(ALONE, field="recover")
    with saved_output():
        running.recover(library, told.call)
        told.sum_up()
    return 1 if told.has_problems else 0


def _running() -> ModuleType:
    """Return the proxy's module; it needs what only the extra ``capture`` brings."""
    try:
        from ctxtui.capture import running  # noqa: PLC0415 - only this command needs it
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("ctxtui"):
            raise
        raise Refused(MISSING, field="capture") from None
    return running
