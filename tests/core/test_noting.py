"""The operations that leave the projection as it is: MARK, UNMARK, DESCRIBE, CONFIGURE."""

from typing import Any

import pytest

from ctxtui.core import (
    Checkout,
    Clear,
    Configure,
    Conversation,
    Delete,
    Describe,
    Mark,
    Refused,
    Truncate,
    Unmark,
)
from ctxtui.core.engine.operations import DescribeMeta
from ctxtui.core.engine.settings import PROFILES, Settings
from tests.core.samples import Data, facts, five, refusal, refused, said, shown, talk


def test_marks_are_on_raw_messages_hidden_ones_too() -> None:
    conversation = five()
    conversation.execute(Delete(indices=[4]))
    conversation.execute(Mark(indices=[4, 1], label="pin"))
    conversation.execute(Mark(indices=[0], label="a"))
    assert conversation.marks == {"a": [0], "pin": [1, 4]}
    assert shown(conversation) == [0, 1, 2, 3]
    assert len(conversation.revisions) == 2


def test_marks_survive_rollback_and_checkout() -> None:
    conversation = five()
    conversation.execute(Delete(indices=[4]))
    conversation.execute(Mark(indices=[1], label="pin"))
    conversation.rollback(0)
    conversation.execute(Checkout(batch=1))
    assert conversation.marks == {"pin": [1]}


def test_unmark_takes_labels_off_and_forgets_empty_ones() -> None:
    conversation = five()
    conversation.execute(Mark(select={"roles": ["user"]}, label="pin"))
    conversation.execute(Unmark(indices=[1], label="pin"))
    assert conversation.marks == {"pin": [3]}
    conversation.execute(Unmark(indices=[1, 2, 3], label="pin"))
    assert conversation.marks == {}


@pytest.mark.parametrize(
    "operation",
    [
        Mark(indices=[1], label="pin"),
        Unmark(indices=[2], label="pin"),
        Unmark(indices=[1], label="other"),
        Describe(batch=0, text="named"),
        Configure(profile="generic", counter="bytes/4"),
    ],
    ids=["mark", "unmark", "other label", "describe", "configure"],
)
def test_noting_the_same_twice_changes_nothing(operation: Any) -> None:
    conversation = five()
    conversation.execute(Mark(indices=[1], label="pin"))
    conversation.execute(Describe(batch=0, text="named"))
    before = conversation.copy()
    conversation.execute(operation)
    assert conversation == before


@pytest.mark.parametrize(
    ("label", "sentence"),
    [
        ("", "label '' has 0 characters; 1 to 64 are legal"),
        ("x" * 65, f"label {'x' * 60!r}… (65 characters) has 65 characters; 1 to 64 are legal"),
        ("a\nb", "label 'a\\nb' holds a control character"),
        ("\x1b[31m", "label '\\x1b[31m' holds a control character"),
        ("a\u2028b", "label 'a\\u2028b' holds a control character"),
        (5, "label 5 is not text"),
        (None, "label null is not text"),
    ],
    ids=["empty", "long", "line break", "escape", "line separator", "number", "null"],
)
def test_a_bad_label_is_refused(label: Any, sentence: str) -> None:
    caught = refused(five(), {"operation": "MARK", "indices": [0], "label": label})
    assert str(caught) == sentence
    assert (caught.field, caught.value) == ("label", label)


def test_labels_of_one_and_of_64_characters_are_fine() -> None:
    conversation = five()
    conversation.execute(Mark(indices=[0], label="é"))
    conversation.execute(Mark(indices=[0], label="x" * 64))
    assert list(conversation.marks) == ["x" * 64, "é"]


def test_a_message_outside_the_log_can_not_be_marked() -> None:
    caught = refused(five(), Mark(indices=[5], label="x"))
    assert facts(caught) == ("indices", 5, "0…4")


def named_everywhere(conversation: Conversation, name: str) -> bool:
    """Tell whether every way to the current batch gives its name."""
    batch = conversation.batch
    taken = conversation.snapshot(batch.number)
    by_id = conversation.snapshot(id=batch.id)
    assert taken is not None
    assert by_id is not None
    return {
        batch.description,
        conversation.batches[batch.id].description,
        conversation.path[batch.number].description,
        [*conversation.path][-1].description,
        conversation.path[-1:][0].description,
        conversation.state().batch_snapshots[-1].description,
        taken.description,
        by_id.description,
    } == {name}


def test_describe_names_a_batch_wherever_it_is_read() -> None:
    conversation = five()
    assert named_everywhere(conversation, "START")
    conversation.execute(Describe(batch=0, text="the start"))
    assert named_everywhere(conversation, "the start")
    conversation.execute(Truncate(keep_last=1, description="short"))
    assert named_everywhere(conversation, "short")
    result = conversation.execute(Describe(batch=1, text="renamed"))
    assert result.batch.description == "renamed"
    assert named_everywhere(conversation, "renamed")
    assert conversation.path[0].description == "the start"


def test_what_describes_the_conversation_is_changed_undone_saved_and_replayed() -> None:
    conversation = Conversation(
        [{"role": "user", "content": "hi"}], meta={"title": "a", "fields": {"label": "x"}}
    )
    conversation.append("user", "more")
    conversation.execute(DescribeMeta(meta={"fields": {"label": "y"}, "title": None}))
    assert conversation.meta == {"fields": {"label": "y"}}
    conversation.append("user", "more")
    conversation.execute(Truncate(keep_last=1))
    again = Conversation.from_dict(conversation.to_dict())
    assert again == conversation == Conversation.replay(conversation.journal)
    assert again.meta == conversation.copy().meta == {"fields": {"label": "y"}}
    assert conversation.squash().meta["fields"] == {"label": "y"}
    for _ in range(3):
        again.undo()
    assert again.meta == {"title": "a", "fields": {"label": "x"}}
    assert again.at_record(2).current.id == 1


def test_a_change_of_meta_that_changes_nothing_is_not_journaled() -> None:
    conversation = Conversation(meta={"title": "a"})
    assert not conversation.execute(DescribeMeta(meta={"title": "a", "b": None})).changed
    assert len(conversation.journal) == 1


@pytest.mark.parametrize(
    ("fields", "sentence", "expected"),
    [
        ({"batch": 1, "text": "x"}, "batch 1 is outside 0…0", ("batch", 1, "0…0")),
        ({"batch": -1, "text": "x"}, "batch -1 is outside 0…0", ("batch", -1, "0…0")),
        ({"batch": 0, "text": ""}, "text '' is empty", ("text", "", "1 character or more")),
        (
            {"batch": 0},
            "DESCRIBE has no text; it takes batch, text",
            ("text", None, "batch, text"),
        ),
    ],
    ids=str,
)
def test_bad_descriptions_are_refused(
    fields: Data, sentence: str, expected: tuple[str, object, str]
) -> None:
    caught = refused(five(), {"operation": "DESCRIBE", **fields})
    assert str(caught) == sentence
    assert facts(caught) == expected


def test_configure_changes_only_what_it_names() -> None:
    compression = {"enabled": True, "threshold": 50, "targetTokens": 20}
    conversation = five(tokenLimit=100, toolDescription="tools", compressionConfig=compression)
    conversation.execute(Configure(compression_config={"targetTokens": 30}))
    conversation.execute(Configure(profile="openai"))
    assert conversation.settings.to_dict() == {
        "tokenLimit": 100,
        "compressionConfig": {
            **compression,
            "targetTokens": 30,
            "keepPairs": True,
            "keepRoles": None,
            "keepMarks": None,
        },
        "toolDescription": "tools",
        "counter": "bytes/4",
        "profile": "openai",
    }


@pytest.mark.parametrize("limit", [0, None])
def test_a_limit_of_zero_or_null_is_none(limit: int | None) -> None:
    assert five(tokenLimit=limit).settings.token_limit is None
    conversation = five(tokenLimit=5)
    conversation.execute(Configure(token_limit=limit, tool_description=None))
    assert conversation.settings.token_limit is None


COMPRESSION = "enabled, threshold, targetTokens, keepPairs, keepRoles, keepMarks"
SETTINGS = "tokenLimit, compressionConfig, toolDescription, counter, profile"
BAD_SETTINGS: list[tuple[Data, str, tuple[str, object, str | None]]] = [
    ({"tokenLimit": -1}, "tokenLimit -1 is below 0; it must be 0 or more",
     ("tokenLimit", -1, "0 or more")),
    ({"tokenLimit": "9"}, "tokenLimit '9' is not a whole number",
     ("tokenLimit", "9", "a whole number")),
    ({"toolDescription": ""}, "toolDescription '' is empty",
     ("toolDescription", "", "1 character or more")),
    ({"profile": "mine"}, f"profile 'mine' is not one of {', '.join(PROFILES)}",
     ("profile", "mine", f"one of {', '.join(PROFILES)}")),
    ({"compressionConfig": {"enabled": 1}}, "compressionConfig: enabled 1 is not true or false",
     ("compressionConfig.enabled", 1, "true or false")),
    ({"compressionConfig": {"when": 1}},
     "compressionConfig: 'when' is not a field of compressionConfig; "
     f"it takes {COMPRESSION}",
     ("compressionConfig.when", 1, COMPRESSION)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "sentence", "expected"), BAD_SETTINGS, ids=lambda value: str(value)[:40]
)
def test_bad_settings_are_refused_by_configure_and_at_the_start(
    fields: Data, sentence: str, expected: tuple[str, object, str]
) -> None:
    caught = refused(five(), {"operation": "CONFIGURE", **fields})
    assert str(caught) == sentence
    assert facts(caught) == expected
    assert sentence in str(refusal(lambda: five(**fields)))
    assert sentence in str(refusal(lambda: talk(**fields)))
    assert sentence in str(refusal(lambda: talk().execute({"operation": "CONFIGURE", **fields})))


def test_an_unknown_counter_is_refused_even_where_there_is_nothing_to_count() -> None:
    words = "counter 'nobody' is not known here; known are bytes/4"
    for conversation in (five(), talk()):
        caught = refused(conversation, Configure(counter="nobody"))
        assert str(caught).startswith(words)
        assert (caught.field, caught.value) == ("counter", "nobody")
    assert words in str(refusal(lambda: five(counter="nobody")))
    assert words in str(refusal(lambda: talk(counter="nobody")))


@pytest.mark.parametrize(
    ("fields", "field", "legal"),
    [
        ({"compressionConfig": {"threshold": 101}}, "threshold", "0…100"),
        ({"compressionConfig": {"targetTokens": 51}}, "targetTokens", "0…50"),
        ({"compressionConfig": {"enabled": True}}, "enabled", None),
        ({"tokenLimit": 49}, "threshold", "0…49"),
    ],
    ids=["threshold", "target", "enabled", "limit"],
)
def test_target_threshold_and_limit_keep_their_order(
    fields: Data, field: str, legal: str | None
) -> None:
    given = {"threshold": 50} if field != "enabled" else {"threshold": None}
    conversation = five(tokenLimit=100, compressionConfig=given)
    caught = refused(conversation, {"operation": "CONFIGURE", **fields})
    assert caught.field is not None
    assert caught.field.endswith(field)
    if legal is not None:
        assert caught.legal == legal


def test_a_target_above_the_limit_is_refused_even_without_a_threshold() -> None:
    with pytest.raises(Refused, match="targetTokens 20"):
        Settings(token_limit=10, compression_config={"targetTokens": 20})


def test_configure_needs_a_setting_and_refuses_unknown_ones() -> None:
    caught = refused(five(), {"operation": "CONFIGURE"})
    assert str(caught) == f"CONFIGURE has no setting; give at least one of {SETTINGS}"
    assert facts(caught) == ("tokenLimit", None, SETTINGS)
    caught = refusal(lambda: five(colour="red"))
    assert str(caught) == (f"settings: 'colour' is not a field of settings; it takes {SETTINGS}")


def test_configure_counts_from_now_on() -> None:
    conversation = talk(said("system", "sys"), said("user", "x"))
    conversation.execute(Clear())
    conversation.execute(Configure(tool_description="tools"))
    assert shown(conversation) == [0]
    conversation.execute(Clear())
    assert shown(conversation) == [0, 2]
