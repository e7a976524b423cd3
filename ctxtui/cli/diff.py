"""``ctxtui diff``: two batches compared, and where a prompt cache would break."""

from __future__ import annotations

from itertools import groupby

from ctxtui.cli.inputs import find_batch, open_target, target_argument
from ctxtui.cli.output import print_json, print_line
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.core import Conversation
from ctxtui.core.engine.diff import Comparison, ComparisonRow
from ctxtui.diff.drawing import measured_words
from ctxtui.diff.models import measured_cache
from ctxtui.text.message import GLYPHS, WORDS, plain_preview
from ctxtui.text.plurals import plural

SIGNS = {"same": " ", "hidden": "−", "added": "+", "shown": "+", "moved": "~"}
WIDTH = 60


def arguments(parser: Parser) -> None:
    target_argument(parser)
    parser.add_argument("a", metavar="A", help="a batch: a number on the path, or #ID")
    parser.add_argument("b", metavar="B", help="the batch to compare it with")
    parser.option("--json", "print the comparison as JSON")


def run(args: Namespace) -> int:
    """Print what differs."""
    conversation = open_target(args.file, args.library).conversation
    found = conversation.compare(find_batch(conversation, args.a), find_batch(conversation, args.b))
    measured = measured_cache(conversation, found.after.id)
    if args.json:
        print_json({**found.to_dict(), "measured": measured and measured.to_dict()})
        return 0
    for kind, rows in groupby(found.rows, key=lambda row: row.kind):
        group = list(rows)
        if kind == "same":
            print_line(f"    {plural(len(group), 'message')} the same")
        else:
            for row in group:
                print_line(_line(conversation, row))
    print_line(_summary(found))
    if measured is not None:
        print_line(f"measured: {measured_words(measured)}")
    return 0


def _line(conversation: Conversation, row: ComparisonRow) -> str:
    side = row.left or row.right
    assert side is not None
    message = conversation.log[side.raw]
    place = "was" if row.left else "is"
    text = plain_preview(message)
    text = text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"
    return (
        f"{SIGNS[row.kind]} {row.kind:<6} raw {side.raw:>4}, {place} at {side.position:>4}  "
        f"{GLYPHS[message.role]} {WORDS[message.role]:<4} {text}"
    )


def _summary(found: Comparison) -> str:
    before, after = found.tokens
    inside = f"and {found.inside} tokens of the next, " if found.inside else ""
    return (
        f"{len(found.before.view)} → {len(found.after.view)} messages, "
        f"{before} → {after} tokens ({found.state.counter}); the first "
        f"{plural(found.prefix.messages, 'message')} ({found.prefix.tokens} tokens) are the same, "
        f"{inside}"
        f"{found.resent} tokens are sent again"
    )
