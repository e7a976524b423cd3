"""``ctxtui tag``: tags that sessions get or lose."""

from __future__ import annotations

from argparse import SUPPRESS

from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.sessions import Row, describe_each, describing_arguments
from ctxtui.core.storage import Session
from ctxtui.core.values.models import read_label
from ctxtui.files.reading import spelled
from ctxtui.files.sandbox import Unreadable

CHANGE = "--change"
"""How a tag is told to argparse, which would take -TAG for an option."""
VALUED = ("--where", "--library", CHANGE)
KNOWN = ("-h",)


def arguments(parser: Parser) -> None:
    parser.usage = "%(prog)s [-h] +TAG -TAG … [SESSION …] [--where WHERE] [--library DIR] [--json]"
    parser.add_argument(
        CHANGE, metavar="TAG", type=spelled, action="append", default=[], help=SUPPRESS
    )
    describing_arguments(parser)


def prepared(given: list[str]) -> list[str]:
    """Return arguments in which every +TAG and -TAG is one that can be read; ``--`` ends them."""
    made: list[str] = []
    rest = iter(given)
    for one in rest:
        is_tag = len(one) > 1 and one[0] in "+-" and not one.startswith("--") and one not in KNOWN
        made.append(f"{CHANGE}={one}" if is_tag else one)
        if one in VALUED:
            made += [value for value in (next(rest, None),) if value is not None]
        elif one == "--":
            made += rest
    return made


def run(args: Namespace) -> int:
    """Change the tags of the sessions; 1 means that some could not be changed."""
    changes = {one[1:]: one[0] == "+" for one in args.change}
    if not changes:
        raise Unreadable("no tag is named: +TAG gives one, -TAG takes it away")
    for tag in changes:
        read_label(tag, "tag")

    def change(session: Session) -> Row:
        was = session.details.tags
        kept = tuple(tag for tag in was if changes.get(tag, True))
        tags = (*kept, *(tag for tag, is_given in changes.items() if is_given and tag not in kept))
        if tags != was:
            session.describe(tags=tags)
        return {"tags": list(tags)}

    return describe_each(args, change, lambda row: ", ".join(row["tags"]) or "no tags")
