"""``ctxtui serve``: the app in a browser."""

from __future__ import annotations

import socket
import sys
from ipaddress import IPv6Address, ip_address

from ctxtui.cli.inputs import library_argument
from ctxtui.cli.output import extra_module, print_json, print_line
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.streams import print_error
from ctxtui.core.errors import Refused, out_of_range
from ctxtui.files.opening import read_conversation
from ctxtui.files.sessions import find_session, is_file, open_library
from ctxtui.serve.visitor import command

# Addresses that commands listen to: this machine's own, or wider ones.

LOOPBACK = "127.0.0.1"
LAST_PORT = 65_535


def is_loopback(host: str) -> bool:
    """Return whether only programs of this machine can reach an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def openable(host: str) -> list[str]:
    """Return what a browser can be told instead of an address that is listened to.

    0.0.0.0 and :: stand for all addresses of a machine and are none themselves: this machine opens
    its own, others its name.
    """
    try:
        address = ip_address(host)
    except ValueError:
        return [host]
    if address.is_unspecified:
        return [LOOPBACK, socket.gethostname()]
    return [f"[{host}]" if isinstance(address, IPv6Address) else host]


USUAL_PORT = 8642
WIDE = (
    "host {host!r} is reached from other machines, and nothing is encrypted on the way; "
    "--anyone says that this is meant"
)
OPEN = "anyone with the address below can read the library{more}; nothing is encrypted"
WRITES = "{sentence}; what is changed there is saved"


def arguments(parser: Parser) -> None:
    about = "what to open; else the library"
    parser.add_argument("file", metavar="FILE|SESSION", nargs="?", help=about)
    library_argument(parser)
    parser.option("--port N", f"else {USUAL_PORT}; 0: a free one", type=int, default=USUAL_PORT)
    parser.option("--host H", f"the address to listen to; else {LOOPBACK}", default=LOOPBACK)
    parser.option("--anyone", "let other machines come, if --host lets them")
    parser.option("--write", "let browsers change the library and use files")
    parser.option("--json", "print the address as JSON")


def run(args: Namespace) -> int:
    """Serve until ctrl+c."""
    server = extra_module("serve", "ctxtui.serve.server", "textual-serve")
    if not 0 <= args.port <= LAST_PORT:
        raise out_of_range("port", args.port, f"0…{LAST_PORT}")
    is_near = is_loopback(args.host)
    if not is_near and not args.anyone:
        raise Refused(WIDE.format(host=args.host), field="host", value=args.host)
    _check(args)
    if not is_near:
        print_error(OPEN.format(more=" and change it" if args.write else ""))
    names = frozenset((args.host, "localhost", LOOPBACK)) if is_near else frozenset[str]()

    def ready(port: int, key: str) -> None:
        urls = [f"http://{name}:{port}/?key={key}" for name in openable(args.host)]
        if args.json:
            print_json({"url": urls[0], "urls": urls, "readOnly": not args.write})
        else:
            sentence = f"{urls[0]} shows the app in a browser, until ctrl+c"
            print_line(WRITES.format(sentence=sentence) if args.write else sentence)
            for url in urls[1:]:
                print_line(f"{url} does so on other machines, if they know this one by that name")
        sys.stdout.flush()

    given = command(args.file, args.library, may_write=args.write)
    server.serve(given, args.host, args.port, names, ready)
    return 0


def _check(args: Namespace) -> None:
    """Refuse what can't be opened before the server starts."""
    library = open_library(args.library)
    if args.file is None:
        library.list() if args.write else None
    elif is_file(args.file):
        read_conversation(args.file)
    else:
        find_session(library, args.file)
