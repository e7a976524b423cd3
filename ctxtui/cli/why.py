"""``ctxtui why``: which operation hid a message, and which calls sent it."""

from __future__ import annotations

from typing import Any

from ctxtui.calls.models.call import CallPath
from ctxtui.cli.inputs import open_target, target_argument
from ctxtui.cli.output import print_json, print_line
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.core import Conversation, Refused
from ctxtui.core.requests.cache import raws
from ctxtui.core.values.numbers import count_in

MOST = 20
"""Messages of which each is explained where several hold a text."""


def arguments(parser: Parser) -> None:
    target_argument(parser)
    about = "the raw index of the message, or a text in it"
    parser.add_argument("what", metavar="INDEX|TEXT", help=about)
    parser.option("--text", "take a number as a text")
    parser.option("--json", "print the answer as JSON")


def run(args: Namespace) -> int:
    """Print what became of a message, or of those that hold a text."""
    conversation = open_target(args.file, args.library).conversation
    path = CallPath(conversation)
    index = None if args.text else count_in(args.what)
    if index is not None:
        found = [index]
    elif not (found := conversation.query.search(args.what, scope="raw") if args.what else []):
        raise Refused("no message holds this text", "text", args.what, "a raw index or a text")
    data = [_data(conversation, path, raw) for raw in found[:MOST]]
    if args.json:
        print_json(data[0] if index is not None else {"messages": data, "count": len(found)})
        return 0
    for raw in found[:MOST]:
        for sentence in _sentences(conversation, path, raw):
            print_line(sentence)
    if len(found) > MOST:
        print_line(f"{len(found) - MOST:,} more hold it")
    return 0


def _data(conversation: Conversation, path: CallPath, raw: int) -> dict[str, Any]:
    hidden, unseen = conversation.blame(raw), path.unseen_since(raw)
    return {
        "rawIndex": raw,
        "position": conversation.query.to_visible(raw),
        "hiddenBy": hidden and hidden.to_dict(),
        "calls": [one.number for one in path.sending(raw)],
        "notSeen": unseen
        and {"call": unseen[0].number, "kind": unseen[1].kind, "certainty": unseen[1].certainty},
    }


def _sentences(conversation: Conversation, path: CallPath, raw: int) -> list[str]:
    hidden = conversation.blame(raw)
    if hidden is None:
        said = [f"raw {raw} is visible at position {conversation.query.to_visible(raw)}"]
    elif hidden.batch is None:
        said = [f"raw {raw} is {hidden}: {_origin(conversation, raw)}"]
    else:
        said = [f"raw {raw} is {hidden} (#{hidden.batch.id})"]
    sent, unseen = [one.number for one in path.sending(raw)], path.unseen_since(raw)
    if sent:
        named = raws(sent).removeprefix("raw ")
        said.append(f"  sent in {'call' if len(sent) == 1 else 'calls'} {named}")
    if unseen is not None:
        call, edit = unseen[0].number, unseen[1]
        since = f"since call {call}" if call < sent[-1] else f"in call {call}"
        said.append(
            f"  not shown to the model by the provider {since}: {edit.kind} ({edit.certainty})"
        )
    return said


def _origin(conversation: Conversation, raw: int) -> str:
    """Return which batch of another branch a message was added in."""
    for revision in conversation.revisions:
        if any(start <= raw < start + length for start, length in revision.fresh):
            batch = conversation.batches[revision.batch]
            return f"it was added on another branch, in batch #{batch.id} {batch.description}"
    return "it was added on another branch"
