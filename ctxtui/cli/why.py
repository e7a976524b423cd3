"""``ctxtui why``: which operation hid a message."""

from __future__ import annotations

from ctxtui.cli.inputs import open_target, target_argument
from ctxtui.cli.output import print_json, print_line
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.core import Conversation


def arguments(parser: Parser) -> None:
    target_argument(parser)
    parser.add_argument("index", metavar="INDEX", type=int, help="the raw index of the message")
    parser.option("--json", "print the answer as JSON")


def run(args: Namespace) -> int:
    """Print what became of a message."""
    conversation = open_target(args.file, args.library).conversation
    hidden = conversation.blame(args.index)
    position = conversation.query.to_visible(args.index)
    if args.json:
        hidden_by = hidden and hidden.to_dict()
        print_json({"rawIndex": args.index, "position": position, "hiddenBy": hidden_by})
    elif hidden is None:
        print_line(f"raw {args.index} is visible at position {position}")
    elif hidden.batch is None:
        print_line(f"raw {args.index} is {hidden}: {_origin(conversation, args.index)}")
    else:
        print_line(f"raw {args.index} is {hidden} (#{hidden.batch.id})")
    return 0


def _origin(conversation: Conversation, raw: int) -> str:
    """Return which batch of another branch a message was added in."""
    for revision in conversation.revisions:
        if any(start <= raw < start + length for start, length in revision.fresh):
            batch = conversation.batches[revision.batch]
            return f"it was added on another branch, in batch #{batch.id} {batch.description}"
    return "it was added on another branch"
