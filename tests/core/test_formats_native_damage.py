"""Damaged native files: refused in one sentence that says where."""

from collections.abc import Callable
from typing import Any

import pytest

from ctxtui.core import Append, Redact, Replace
from ctxtui.core.conversation.conversation import Conversation
from ctxtui.core.formats import dump_json, format_named, load, read_json
from tests.core.samples import Data, five, refusal, said

NEW = said("user", "new")


def saved(conversation: Conversation) -> Any:
    """Return what is written, after a trip through text."""
    return read_json(dump_json(format_named("native").write(conversation).data))


def at(*path: Any, put: Any) -> Callable[[Any], None]:
    """Return a damage: something else stands at a place."""

    def damage(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = put

    return damage


def without(*path: Any) -> Callable[[Any], None]:
    """Return a damage: something is gone."""

    def damage(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        del data[path[-1]]

    return damage


RAW = ("journal", 1, "operation", "messages", "raw")
DAMAGES: dict[str, tuple[Callable[[Any], None], str]] = {
    "newer": (
        at("version", put=2),
        "version 2 of the file format is newer than 1, the newest that can be read here; "
        "update ctxtui to open it",
    ),
    "no version": (without("version"), "version null is not a version of the file format (1…1)"),
    "version 0": (at("version", put=0), "version 0 is not a version of the file format (1…1)"),
    "version text": (at("version", put="1"), "version '1' is not a version of the file format"),
    "version true": (at("version", put=True), "version true is not a version of the file format"),
    "unknown key": (
        at("tags", put=[]),
        "'tags' is not a field of a saved conversation; it takes format, ",
    ),
    "no messages": (without("messages"), "messages null is not a list"),
    "no journal": (without("journal"), "journal null is not a list"),
    "empty journal": (at("journal", put=[]), "a journal begins with a CREATE record"),
    "bad message": (at("messages", 5, "role", put="robot"), "messages[5]: role 'robot' is not one"),
    "message too many": (
        lambda data: data["messages"].append(NEW),
        "the file has 8 messages, but its journal makes 7",
    ),
    "message too few": (
        lambda data: data["messages"].pop(),
        "the file has 6 messages, but its journal makes 7",
    ),
    "first message gone": (
        lambda data: data["messages"].pop(0),
        "the file has 6 messages, but its journal makes 7",
    ),
    "messages gone": (
        at("messages", put=[]),
        "journal[0].messages.raw '0+5' is outside the 0 messages of the file",
    ),
    "generated message differs": (
        at("messages", 6, "content", put="[cleaned]"),
        "messages[6] is not the message that the journal makes there",
    ),
    "record is a number": (at("journal", 1, put=5), "journal[1]: record 5 is not an object"),
    "operation is a number": (
        at("journal", 1, "operation", put=5),
        "journal[1]: operation 5 is not an object",
    ),
    "raw is a number": (at(*RAW, put=5), "journal[1].messages.raw 5 is not a list of [start, l"),
    "run is a number": (at(*RAW, put=[5]), "journal[1].messages.raw 5 is not two whole numbers"),
    "run is short": (at(*RAW, put=[[5]]), "journal[1].messages.raw a list of 1 is not two whole"),
    "run is true": (at(*RAW, put=[[5, True]]), "journal[1].messages.raw a list of 2 is not two"),
    "run is empty": (at(*RAW, put=[[5, 0]]), "journal[1].messages.raw '5+0' is outside the 7"),
    "run is negative": (at(*RAW, put=[[-1, 1]]), "journal[1].messages.raw '-1+1' is outside"),
    "run is too long": (at(*RAW, put=[[5, 3]]), "journal[1].messages.raw '5+3' is outside"),
    "run is huge": (at(*RAW, put=[[5, 10**30]]), "journal[1].messages.raw '5+1"),
    "run of another": (at(*RAW, put=[[4, 1]]), "journal[1].messages.raw 4+1 names a message twice"),
    "run is twice": (at(*RAW, put=[[5, 1], [5, 1]]), "journal[1].messages.raw 5+1 names a message"),
    "no runs": (at(*RAW, put=[]), "journal[1]: messages [] is empty"),
    "no raw": (at(*RAW[:-1], put={}), "journal[1]: messages {} is not a list"),
    "impossible": (at("journal", 2, "operation", "indices", put=[9]), "journal[2]: indices 9 is"),
}


@pytest.mark.parametrize(("damage", "words"), DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_file_is_refused_with_the_place(
    damage: Callable[[Any], None], words: str
) -> None:
    conversation = five()
    conversation.append("user", "x5")
    conversation.execute(Redact(indices=[1]))
    data: Data = saved(conversation)
    assert load(data).conversation == conversation
    damage(data)
    caught = refusal(lambda: load(data))
    assert words in str(caught)
    assert "\n" not in str(caught)


def test_two_messages_where_one_belongs_are_refused() -> None:
    conversation = five()
    conversation.execute([Append(messages=[NEW, NEW]), Replace(index=0, message=NEW)])
    data = saved(conversation)
    data["journal"][1]["list"][0]["messages"] = [NEW, NEW]
    data["journal"][1]["list"][1]["message"] = {"raw": [[5, 2]]}
    assert str(refusal(lambda: load(data))).startswith("journal[1]: message")


def test_an_unknown_key_of_a_message_is_not_said_to_need_an_import() -> None:
    data = saved(five())
    data["messages"][2]["name"] = "Bob"
    sentence = str(refusal(lambda: load(data)))
    assert sentence.startswith("messages[2]: 'name' is not a field of a message; it takes role, ")
    assert sentence.endswith("; what else is known of a message goes into its metadata")
