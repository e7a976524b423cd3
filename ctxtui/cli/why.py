"""``ctxtui why``: which operation hid a message."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ctxtui.cli.inputs import open_conversation
from ctxtui.cli.output import print_json, print_line


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("file", metavar="FILE", help="a conversation; - reads standard input")
    parser.add_argument("index", metavar="INDEX", type=int, help="the raw index of the message")
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def run(asked: Namespace) -> int:
    """Print what became of a message."""
    conversation = open_conversation(asked.file).conversation
    hidden = conversation.blame(asked.index)
    position = conversation.query.to_visible(asked.index)
    if asked.json:
        print_json(
            {
                "rawIndex": asked.index,
                "position": position,
                "hiddenBy": hidden and hidden.to_dict(),
            }
        )
    elif hidden is None:
        print_line(f"raw {asked.index} is visible at position {position}")
    else:
        print_line(f"raw {asked.index} is {hidden}")
    return 0
