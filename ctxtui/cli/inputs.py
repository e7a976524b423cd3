"""What commands are told: a conversation in a file, a batch of it."""

from __future__ import annotations

from ctxtui.cli.output import print_problems
from ctxtui.core import Conversation, Revision
from ctxtui.core.errors import format_value
from ctxtui.core.formats.warnings import sentences
from ctxtui.core.values.numbers import count_in
from ctxtui.files.opening import Opened, read_conversation
from ctxtui.files.reading import Unreadable


def check_inputs(*names: str) -> None:
    """Refuse to take two inputs from standard input, before anything of it is read."""
    if names.count("-") > 1:
        raise Unreadable("standard input: it can be read only once, and - is given more than once")


def open_conversation(path: str) -> Opened:
    """Return the conversation a file holds, or a script file leads to; print what was adapted."""
    opened = read_conversation(path)
    print_problems(sentences(opened.warnings))
    return opened


def find_batch(conversation: Conversation, name: str) -> Revision:
    """Return the revision of a batch: ``2`` is a number on the path, ``#7`` an id."""
    wanted = count_in(name.removeprefix("#"))
    if wanted is None:
        raise Unreadable(
            f"batch {format_value(name)} is neither a number such as 2 nor an id such as #7"
        )
    if name.startswith("#"):
        if wanted >= len(conversation.batches):
            raise Unreadable(f"batch {name} is outside #0…#{len(conversation.batches) - 1}")
        return conversation.newest(conversation.batches[wanted])
    if wanted >= len(conversation.path):
        raise Unreadable(f"batch {name} is outside 0…{len(conversation.path) - 1}")
    return conversation.on_path(wanted)
