"""``ctxtui show``: messages as text or JSON."""

from __future__ import annotations

from typing import Any

from ctxtui.cli.inputs import find_batch, is_session, open_target, target_argument
from ctxtui.cli.output import print_block, print_json, print_line
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.streams import print_errors
from ctxtui.core import Conversation, Message
from ctxtui.core.engine.messages import part_dict
from ctxtui.core.engine.meta_fields import other_fields, value_text
from ctxtui.core.formats.warnings import sentences
from ctxtui.core.values.models import ROLES
from ctxtui.text.message import content_text
from ctxtui.text.plurals import LONGEST_NAME, fields_words, plural
from ctxtui.text.symbols import printable


def arguments(parser: Parser) -> None:
    target_argument(parser)
    parser.option("--scope", "which messages", choices=("visible", "raw"), default="visible")
    parser.option("--batch N", "look at batch N of the path, or #ID")
    parser.option("--role", "only messages of this role", choices=ROLES)
    parser.option("--json", "print the messages as JSON")


def run(args: Namespace) -> int:
    """Print the messages."""
    opened = open_target(args.file, args.library)
    conversation = opened.conversation
    if is_session(args.file):
        print_errors(sentences(opened.warnings))
    if args.batch is not None:
        conversation.checkout(revision=find_batch(conversation, args.batch).id)
    labels: dict[int, list[str]] = {}
    for label, raws in sorted(conversation.marks.items()):
        for raw in raws:
            labels.setdefault(raw, []).append(label)
    rows = [
        row(conversation, raw, labels.get(raw, []))
        for raw in conversation.query.all(args.role, scope=args.scope)
    ]
    if args.json:
        print_json(rows)
        return 0
    for one in rows:
        print_line(_head(one))
        print_block(content_text(conversation.log[one["rawIndex"]]), "    ")
    if not rows:
        print_line("no message to show")
    if args.role is None:
        _print_fields(conversation)
    stats = conversation.stats()
    print_line(
        f"{plural(len(rows), 'message')}; batch {stats.current_batch_index} shows "
        f"{stats.current_batch_messages} of {stats.total_messages}"
    )
    return 0


def _print_fields(conversation: Conversation) -> None:
    fields = other_fields(conversation.meta)
    if fields:
        print_line(fields_words(list(fields)))
    for name, value in fields.items():
        print_line(f"      {printable(name, LONGEST_NAME)}")
        print_block(value_text(value), "    ")


def row(conversation: Conversation, raw: int, marks: list[str]) -> dict[str, Any]:
    """Return a message and its position as JSON-ready data."""
    message = conversation.log[raw]
    hidden = conversation.blame(raw)
    return {
        "rawIndex": raw,
        "position": conversation.query.to_visible(raw),
        "role": message.role,
        "content": _content(message),
        "tokens": conversation.log.tokens(raw, conversation.settings.counter),
        "marks": marks,
        "hiddenBy": hidden and hidden.to_dict(),
    }


def _content(message: Message) -> Any:
    if isinstance(message.content, str):
        return message.content
    return [part_dict(part) for part in message.content]


def _head(one: dict[str, Any]) -> str:
    place = "hidden" if one["position"] is None else f"position {one['position']}"
    if isinstance(one["hiddenBy"], dict):
        place = f"hidden by {one['hiddenBy']['operation']['operation']}"
    marks = "".join(f"  ★ {label}" for label in one["marks"])
    return f"{one['rawIndex']:>4}  {one['role']}  {place}  {one['tokens']} tokens{marks}"
