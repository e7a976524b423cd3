"""The native format: everything comes back, and each message is written once."""

from typing import Any

import pytest

from ctxtui.core import (
    Append,
    Checkout,
    Clear,
    Compress,
    Configure,
    Conversation,
    Delete,
    Describe,
    Insert,
    Mark,
    Redact,
    Refused,
    Repair,
    Replace,
    Rollback,
    Toggle,
    Truncate,
)
from ctxtui.core.formats import dump_json, format_named, load, read_json
from ctxtui.core.formats.warnings import sentences
from tests.core.samples import Words, answer, call, five, refusal, registered, said, talk

NATIVE = format_named("native")
NEW = said("user", "new", id="n", timestamp=5, metadata={"k": [1]})


def saved(conversation: Conversation) -> Any:
    """Return what is written, after a trip through text."""
    written = NATIVE.write(conversation)
    assert sentences(written.warnings) == ()
    return read_json(dump_json(written.data))


def reopened(conversation: Conversation) -> Conversation:
    loaded = load(saved(conversation))
    assert (loaded.format, sentences(loaded.warnings)) == ("native", ())
    return loaded.conversation


def busy() -> Conversation:
    """Return a conversation with a bit of everything."""
    conversation = talk(*[m.to_dict() for m in five().log], call("a"), answer("a"))
    for ask in (
        Append(messages=[NEW, call("b")]),
        Insert(position=1, messages=[NEW]),
        Replace(index=0, message=NEW),
        Replace(indices=[2, 1], messages=[NEW, said("user", "other")]),
        Mark(indices=[0, 3], label="pin"),
        Compress(indices=[3, 4], summary=[NEW, said("system", "short")]),
        Redact(select={"roles": ["tool"]}),
        Delete(indices=[5]),
        Repair(policy="restore"),
        Repair(policy="stub"),
        Describe(batch=0, text="start"),
        Toggle(skip=[2]),
        Rollback(target_batch_index=1),
        Configure(token_limit=50, tool_description="Tools: none"),
        [Clear(), Append(messages=[NEW]), Checkout(batch=0)],
    ):
        conversation.execute(ask)
    conversation.record_usage(10, 2, request="r1")
    conversation.undo()
    conversation.undo()
    conversation.redo()
    return conversation


def test_an_older_file_is_read_without_the_metadata_of_its_redacted_copies() -> None:
    notes = {"metadata": {"openai": {"raw": "a secret"}}}
    conversation = Conversation([{"role": "user", "content": "a secret", **notes}])
    conversation.execute(Redact(indices=[0]))
    file = conversation.to_dict()
    assert "metadata" in file["messages"][1]
    file["messages"][1] |= notes
    again = Conversation.from_dict(file)
    assert again == conversation
    assert "secret" not in str(again.log[1].to_dict())
    file["messages"][1]["content"] = "another"
    with pytest.raises(Refused, match="not the message that the journal makes there"):
        Conversation.from_dict(file)


def test_everything_comes_back() -> None:
    conversation = busy()
    again = reopened(conversation)
    assert again == conversation
    assert again.usage == conversation.usage
    assert again.marks == conversation.marks
    assert [batch.description for batch in again.batches] == [
        batch.description for batch in conversation.batches
    ]
    assert again.check() == []


def test_undo_and_redo_go_on_after_reopening() -> None:
    conversation, again = busy(), reopened(busy())
    for one in (conversation, again):
        one.redo()
        one.undo()
        one.undo()
    assert [list(r.view) for r in again.revisions] == [list(r.view) for r in conversation.revisions]
    assert list(again.view) == list(conversation.view)
    assert again.marks == conversation.marks


def test_title_and_settings_come_back() -> None:
    conversation = Conversation([NEW], {"tokenLimit": 9}, meta={"title": "t", "tools": [{}]})
    again = reopened(conversation)
    assert again.meta == {"title": "t", "tools": ({},)}
    assert again.settings.token_limit == 9


def test_a_squashed_conversation_keeps_its_first_marks() -> None:
    conversation = busy().squash()
    assert reopened(conversation) == conversation


def test_an_empty_conversation_comes_back() -> None:
    assert reopened(talk()) == talk()


def test_token_counts_of_an_unknown_counter_come_back() -> None:
    with registered(Words()):
        conversation = five(counter="words")
        conversation.append("user", "two words")
        data = saved(conversation)
    again = load(data).conversation
    assert again == conversation
    assert again.tokens.total == 7


def places(data: Any) -> list[str]:
    """Return where in some data there is a message."""
    if isinstance(data, dict):
        if "role" in data and "content" in data:
            return ["here"]
        return [f"{key}.{place}" for key, value in data.items() for place in places(value)]
    if isinstance(data, list):
        return [f"{i}.{place}" for i, value in enumerate(data) for place in places(value)]
    return []


def test_each_message_is_written_once() -> None:
    conversation = busy()
    data = saved(conversation)
    assert places(data) == [f"messages.{i}.here" for i in range(len(conversation.log))]
    assert data["format"] == "ctxtui"
    assert data["version"] == 1


def test_operations_refer_to_raw_runs() -> None:
    conversation = five()
    conversation.execute([Append(messages=[NEW, NEW]), Replace(index=0, message=NEW)])
    created, listed = saved(conversation)["journal"]
    assert created["operation"]["messages"] == {"raw": [[0, 5]]}
    assert listed["list"][0]["messages"] == {"raw": [[5, 2]]}
    assert listed["list"][1]["message"] == {"raw": [[7, 1]]}


def test_a_summary_that_never_got_into_the_log_is_written_where_it_is() -> None:
    conversation = five()
    nothing = Compress(select={"marks": ["none"]}, summary=NEW)
    conversation.execute([nothing, Append(messages=[NEW])])
    listed = saved(conversation)["journal"][1]["list"]
    assert listed[0]["summary"] == [NEW]
    assert listed[1]["messages"] == {"raw": [[5, 1]]}
    assert reopened(conversation) == conversation


def test_one_operation_object_done_twice_refers_to_two_stretches() -> None:
    conversation = five()
    twice = Append(messages=[NEW])
    conversation.execute(twice)
    conversation.execute(Truncate(keep_last=3))
    conversation.execute(Toggle(skip=[2]))
    conversation.execute([twice, twice])
    journal = saved(conversation)["journal"]
    assert journal[1]["operation"]["messages"] == {"raw": [[5, 1]]}
    assert [one["messages"] for one in journal[4]["list"]] == [
        {"raw": [[6, 1]]},
        {"raw": [[7, 1]]},
    ]
    assert reopened(conversation) == conversation


def test_an_operation_that_matched_only_the_second_time_comes_back() -> None:
    conversation = five()
    conversation.execute(Delete(indices=[0]))
    summed = Compress(select={"roles": ["system"]}, summary=NEW)
    conversation.execute([summed, Rollback(target_batch_index=0), summed])
    assert reopened(conversation) == conversation


def test_a_copy_and_a_replayed_conversation_are_written_alike() -> None:
    conversation = busy()
    assert saved(conversation.copy()) == saved(conversation)
    assert saved(Conversation.replay(conversation.journal)) == saved(conversation)
    assert saved(reopened(conversation)) == saved(conversation)


def test_a_list_of_messages_is_a_conversation_that_starts_with_them() -> None:
    messages = [said("system", "s"), NEW, call("a"), answer("a", role="user")]
    loaded = load(messages)
    assert loaded.format == "native"
    assert [message.to_dict() for message in loaded.conversation.log] == messages
    assert len(loaded.conversation.batches) == 1


def test_a_bad_message_of_a_list_is_refused_by_its_index() -> None:
    caught = refusal(lambda: load([NEW, said("robot", "x")], "native"))
    assert str(caught).startswith("messages[1]: role 'robot' is not one of system, user")
