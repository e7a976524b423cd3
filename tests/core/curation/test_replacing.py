"""Replacing changes what was found and nothing else, as one change that can be undone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation, Message, Refused
from ctxtui.core.curation.patterns import PATTERNS, json_strings, own_pattern, with_strings
from ctxtui.core.curation.replacing import (
    ReplaceHit,
    by_message,
    by_pattern,
    meant,
    operations,
    replace,
    search,
)
from ctxtui.core.curation.texts import REACHED, TextWalk, with_texts
from ctxtui.core.formats import format_named, load
from ctxtui.core.formats.warnings import FormatWarning
from ctxtui.core.storage.details import Details
from ctxtui.core.values.frozen import thaw
from tests.core.message_strategies import WORDS, message

EVERY = list(PATTERNS.values())
MAIL = "kb@mail.example"


def hits(*given: Any, **named: Any) -> list[ReplaceHit]:
    """Return everything that would be replaced."""
    return search(*given, **named).hits


def call(asked: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "tool_use": {"id": "c1", "name": "send", "input": asked}, **more}


def result(answer: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_result": {"tool_use_id": "c1", "content": answer}}


def talk(*messages: Any) -> Conversation:
    return Conversation(
        [
            {"role": "user", "content": f"My mail is {MAIL}, phone +1 202 555 0147."},
            {"role": "assistant", "id": "m2", "timestamp": 5, "content": [call({"to": MAIL})]},
            {"role": "tool", "content": [result(f"queued for {MAIL}")]},
            *messages,
        ]
    )


def said(conversation: Conversation) -> list[Any]:
    return [one.to_dict()["content"] for one in conversation.visible]


def only(content: Any, role: str = "assistant") -> Any:
    """Return what becomes of one message's content."""
    made = Conversation([{"role": role, "content": content}])
    replace(made, meant(hits(made, EVERY)))
    return said(made)[0]


def test_hits_say_where_what_and_what_would_stand_there() -> None:
    found = hits(talk(), EVERY)
    assert [(one.raw, one.role, one.path, one.before, one.after) for one in found] == [
        (0, "user", (0, "text"), MAIL, "[mail]"),
        (0, "user", (0, "text"), "+1 202 555 0147", "[phone]"),
        (1, "assistant", (0, "input", "to"), MAIL, "[mail]"),
        (2, "tool", (0, "content"), MAIL, "[mail]"),
    ]
    assert by_pattern(found) == {"mail": 3, "phone": 1}
    assert [(raw, len(some)) for raw, some in by_message(found)] == [(0, 2), (1, 1), (2, 1)]


def test_only_the_match_is_replaced_and_ids_times_and_pairs_stay() -> None:
    made = talk()
    replace(made, hits(made, EVERY))
    assert said(made) == [
        "My mail is [mail], phone [phone].",
        [call({"to": "[mail]"})],
        [result("queued for [mail]")],
    ]
    changed = made.visible[1]
    assert (changed.id, changed.timestamp, changed.calls) == ("m2", 5, ("c1",))
    assert made.lint() == []
    assert made.check() == []


def test_it_is_one_change_that_undo_takes_back() -> None:
    made = talk()
    before = said(made)
    replace(made, hits(made, EVERY))
    assert len(made.journal) == 2
    made.undo()
    assert said(made) == before


def test_neighbours_open_one_batch_and_others_one_each() -> None:
    made = talk({"role": "user", "content": "nothing"}, {"role": "user", "content": MAIL})
    replace(made, hits(made, EVERY))
    assert [one.operation.title for one in made.path[1:] if one.operation] == ["REPLACE"] * 2
    assert list(made.view) == [5, 6, 7, 3, 8]


def test_marks_of_what_was_replaced_are_on_what_stands_there() -> None:
    made = talk()
    made.execute({"operation": "MARK", "indices": [1, 2], "label": "good"})
    replace(made, hits(made, EVERY))
    assert [made.view.position(raw) for raw in made.marks["good"]] == [None, None, 1, 2]


def test_roles_limit_where_is_looked_and_unknown_ones_are_refused() -> None:
    assert {one.role for one in hits(talk(), EVERY, ["tool", "user"])} == {"tool", "user"}
    with pytest.raises(Refused, match="role 'robot' is not one of"):
        hits(talk(), EVERY, ["robot"])


def test_a_doubt_is_found_but_not_meant() -> None:
    made = talk({"role": "user", "content": "The photo is saved as label@2x.png."})
    found = hits(made, EVERY)
    assert found[-1].doubt == "a file name, not an address"
    replace(made, meant(found))
    assert "label@2x.png" in said(made)[-1]
    chosen = hits(made, EVERY)
    replace(made, chosen)
    assert said(made)[-1] == "The photo is saved as [mail]."


def test_what_would_be_the_same_afterwards_is_no_hit() -> None:
    made = Conversation([{"role": "user", "content": "Red red RED"}])
    replace(made, hits(made, [own_pattern("red", "red")]))
    assert said(made) == ["red red red"]
    assert hits(made, [own_pattern("red", "red")]) == []


def test_nothing_to_replace_changes_nothing() -> None:
    made = talk()
    assert replace(made, []) is None
    assert len(made.journal) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"to": [MAIL, {"cc": MAIL}], "n": 1}, {"to": ["[mail]", {"cc": "[mail]"}], "n": 1}),
        ({MAIL: 1}, {MAIL: 1}),
        (MAIL, "[mail]"),
        ({"body": f'{{"a":  "{MAIL}", "b": 1.0}}'}, {"body": '{"a":  "[mail]", "b": 1.0}'}),
        (
            {"body": r'{"a": "kb\u0040mail.example \u00e9\/"}'},
            {"body": r'{"a": "[mail] \u00e9\/"}'},
        ),
        (
            {"body": json.dumps({"deep": json.dumps({"x": MAIL})})},
            {"body": json.dumps({"deep": json.dumps({"x": "[mail]"})})},
        ),
        ({"body": f'{{"broken: "{MAIL}"'}, {"body": '{"broken: "[mail]"'}),
        ({"body": f'["😀 {MAIL}"]'}, {"body": '["😀 [mail]"]'}),
        (f'{{"to": "{MAIL}"', '{"to": "[mail]"'),
    ],
)
def test_arguments_change_as_json_values(before: Any, after: Any) -> None:
    assert only([call(before)]) == [call(after)]


def test_what_stands_in_json_is_escaped_so_that_it_stays_json() -> None:
    made = Conversation([{"role": "tool", "content": [result('{"a": "x secret y", "b": [1]}')]}])
    replace(made, hits(made, [own_pattern("secret", 'say "\\" \n')]))
    text = made.visible[0].to_dict()["content"][0]["tool_result"]["content"]
    assert json.loads(text) == {"a": 'x say "\\" \n y', "b": [1]}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (r'Here: {"a": "the \"Blue\" one"}.', r'Here: {"a": "the <\"> one"}.'),
        ('{"a": "the \\u0022Blue\\" one"}\n{"b": 1}', '{"a": "the <\\"> one"}\n{"b": 1}'),
        (r'{"a": "{\"b\": \"\\\"Blue\\\"\"}"}', r'{"a": "{\"b\": \"<\\\">\"}"}'),
        ('the "Blue" one', 'the <"> one'),
    ],
)
def test_what_is_written_with_escapes_is_found_in_any_text(before: str, after: str) -> None:
    made = Conversation([{"role": "user", "content": before}])
    replace(made, hits(made, [own_pattern('"Blue"', '<">')]))
    assert said(made) == [after]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([{"type": "text", "text": MAIL}], [{"type": "text", "text": "[mail]"}]),
        (f'{{"mail": "{MAIL}"}}', '{"mail": "[mail]"}'),
        (f"a\n{MAIL}\x1b[31m\u202e", "a\n[mail]\x1b[31m\u202e"),
    ],
)
def test_results_of_any_shape_are_replaced_inside(before: Any, after: Any) -> None:
    assert only([result(before)], "tool") == [result(after)]


def test_a_thought_that_changes_loses_its_signature_and_another_keeps_it() -> None:
    def thought(text: str, **signed: str) -> dict[str, Any]:
        return {"type": "thinking", "thinking": {"text": text, **signed}}

    given = [thought(MAIL, signature="s1"), thought("calm", signature="s2")]
    assert only(given) == [thought("[mail]"), thought("calm", signature="s2")]


def test_a_text_that_is_nothing_but_the_match_may_become_empty() -> None:
    made = Conversation([{"role": "user", "content": "secret"}])
    replace(made, hits(made, [own_pattern("secret", "")]))
    assert said(made) == [[{"type": "text", "text": ""}]]


def rich() -> Conversation:
    """Return a conversation that has a mail address in every place there is."""
    schema = {"properties": {MAIL: {"description": MAIL, "type": "string"}}, "required": [MAIL]}
    image = {"type": "image", "image_url": {"url": f"http://x.test/{MAIL}"}}
    data = {"type": "data", "data": {"type": MAIL, "text": MAIL, MAIL: 1, "id": f"id {MAIL}"}}
    asked = {"to": MAIL, MAIL: 1, "body": json.dumps({MAIL: MAIL, "n": 1})}
    made = Conversation(
        [
            {"role": "user", "content": [image, data], "metadata": {"from": MAIL, MAIL: 1}},
            {
                "role": "assistant",
                "id": f"m {MAIL}",
                "content": [
                    {
                        "type": "tool_use",
                        "tool_use": {"id": f"c {MAIL}", "name": f"to {MAIL}", "input": asked},
                        "metadata": {"openai": {"id": f"c {MAIL}", "arguments": MAIL}},
                    }
                ],
            },
            {
                "role": "tool",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_result": {
                            "tool_use_id": f"c {MAIL}",
                            "content": [
                                {"type": "text", "text": MAIL},
                                {"type": "data", "data": {"text": [MAIL]}},
                            ],
                        },
                    }
                ],
                "metadata": {"answers": f"c {MAIL}"},
            },
            {"role": "user", "content": f"hidden {MAIL}"},
        ],
        meta={
            "title": MAIL,
            "fields": {"to": MAIL},
            "tools": [{"name": f"to {MAIL}", "description": MAIL, "parameters": schema}],
        },
    )
    made.execute({"operation": "MARK", "indices": [0, 3], "label": MAIL})
    keeps = {"keepMarks": [MAIL]}
    made.execute(
        {"operation": "CONFIGURE", "toolDescription": f"ask {MAIL}", "compressionConfig": keeps}
    )
    made.execute({"operation": "DELETE", "indices": [3]})
    made.execute({"operation": "DESCRIBE", "batch": 1, "text": f"without {MAIL}"})
    made.record_call(answer={"content": MAIL}, parameters={"user": MAIL})
    return made


def present(conversation: Conversation) -> str:
    """Return everything that is visible of a conversation or beside its messages, as text."""
    talk = conversation
    return json.dumps(
        [
            [one.to_dict() for one in talk.visible],
            [one.description for one in talk.path],
            talk.settings.to_dict(),
            sorted(talk.marks),
            talk.meta,
        ]
    )


def test_every_text_is_replaced_but_what_holds_the_conversation_together() -> None:
    made = rich()
    before = made.copy()
    replace(made, hits(made, EVERY))
    assert made.check() == []
    picture, data = made.visible[0].to_dict()["content"]
    assert picture["image_url"] == {"url": "http://x.test/[mail]"}
    assert data["data"] == {"type": MAIL, "text": "[mail]", MAIL: 1, "id": f"id {MAIL}"}
    assert made.visible[0].metadata == {"from": "[mail]", MAIL: 1}
    called = made.visible[1].to_dict()["content"][0]
    assert called["tool_use"]["name"] == made.meta["tools"][0]["name"] == "to [mail]"
    assert called["tool_use"]["id"] == f"c {MAIL}"
    body = json.dumps({MAIL: "[mail]", "n": 1})
    assert called["tool_use"]["input"] == {"to": "[mail]", MAIL: 1, "body": body}
    assert called["metadata"] == {"openai": {}}
    inner = made.visible[2].to_dict()["content"][0]["tool_result"]["content"]
    assert inner[0]["text"] == "[mail]"
    assert inner[1]["data"] == {"text": ["[mail]"]}
    assert list(made.marks) == list(made.settings.compression_config.keep_marks or ()) == ["[mail]"]
    assert made.settings.tool_description == "ask [mail]"
    assert made.meta["fields"] == {"to": "[mail]"}
    schema = {"properties": {MAIL: {"description": "[mail]", "type": "string"}}}
    assert thaw(made.meta["tools"][0]["parameters"]) == {**schema, "required": [MAIL]}
    assert made.batches[1].description == "without [mail]"
    made.undo()
    assert present(made) == present(before)
    assert made.marks == before.marks


def test_what_stays_is_named_by_its_place_and_by_what_removes_it() -> None:
    made = rich()
    stays = search(made, EVERY).stays
    assert {(one.remedy, one.where, one.raw) for one in stays.places} == {
        ("everywhere", "type in data", 0),
        ("everywhere", "field name in data", 0),
        ("everywhere", "id in data", 0),
        ("everywhere", "field name in metadata", 0),
        ("everywhere", "message id", 1),
        ("everywhere", "id of tool call", 1),
        ("everywhere", "id in metadata", 1),
        ("everywhere", "field name in arguments of to [mail]", 1),
        ("everywhere", "id of tool call", 2),
        ("everywhere", "id in metadata", 2),
        ("everywhere", "field name in definition of tool to [mail]", None),
        ("purge", "hidden message", 3),
        ("purge", "recorded call 0: answer", None),
        ("purge", "recorded call 0: parameters", None),
    }
    assert MAIL not in str(stays)
    assert stays.total("everywhere") == 13
    assert stays.total("purge") == 3


def test_everywhere_leaves_nothing_that_is_visible_or_beside_the_messages() -> None:
    made = rich()
    replace(made, hits(made, EVERY, everywhere=True))
    assert MAIL not in present(made)
    assert made.check() == []
    (call,) = made.visible[1].calls
    assert made.visible[2].results == (call,)
    assert made.visible[2].metadata == {"answers": call}
    assert made.visible[1].id == "m [mail]"
    assert {one.remedy for one in search(made, EVERY, everywhere=True).stays.places} == {"purge"}
    made.undo()
    assert MAIL in present(made)


def test_ids_names_and_fields_that_would_become_the_same_stay_different() -> None:
    calls = [
        {
            "type": "tool_use",
            "tool_use": {"id": f"c{n}", "name": f"get{n}", "input": {"1": 1, "2": 2}},
        }
        for n in (1, 2)
    ]
    made = Conversation([{"role": "assistant", "content": calls}])
    digits = own_pattern(r"\d", "", is_regex=True)
    replace(made, hits(made, [digits], everywhere=True))
    first, second = (one["tool_use"] for one in made.visible[0].to_dict()["content"])
    assert (first["id"], second["id"], first["name"], second["name"]) == (
        "c",
        "c-2",
        "get",
        "get-2",
    )
    assert first["input"] == {"": "", "-2": ""}


def test_numbers_become_text_only_when_everything_is_asked_for() -> None:
    asked = {"zip": 40712, "text": '{"zip": 40712, "far": 40712.5}', "ok": True}
    made = Conversation([{"role": "assistant", "content": [call(asked)]}])
    what = [own_pattern("40712", "x")]
    assert hits(made, what) == []
    (stays,) = search(made, what).stays.places
    assert (stays.where, stays.hits) == ("number in arguments of send", 3)
    replace(made, hits(made, what, everywhere=True))
    new = {"zip": "x", "text": '{"zip": "x", "far": "x.5"}', "ok": True}
    assert said(made)[0] == [call(new)]


def test_with_a_role_nothing_else_is_touched_and_all_of_it_is_named() -> None:
    made = rich()
    found = hits(made, EVERY, ["user"], everywhere=True)
    assert {one.raw for one in found} == {0}
    places = {
        one.where for one in search(made, EVERY, ["user"]).stays.places if one.remedy == "roles"
    }
    assert {
        "title in the file",
        "label",
        "tool name",
        "tool description",
        "name of batch 1",
    } <= places


def test_what_is_encrypted_is_not_searched_and_counted() -> None:
    sealed = {"type": "data", "data": {"encrypted_content": "QUJD" * 30, "type": "x"}}
    image = {"type": "image", "image_url": {"url": "data:image/png;base64,QUJDREVG"}}
    thought = {"type": "thinking", "thinking": {"text": "calm", "signature": "QUJD" * 9}}
    made = Conversation([{"role": "assistant", "content": [sealed, image, thought]}])
    stays = search(made, [own_pattern("QUJD", "x")]).stays
    assert stays == ((), 3)


def test_a_document_of_one_word_that_says_it_is_text_is_searched() -> None:
    secret = "tok_live_ABCDEFGHIJ40712"
    source = {"type": "text", "media_type": "text/plain", "data": secret}
    part = {"type": "data", "data": {"type": "document", "source": source}}
    made = Conversation([{"role": "user", "content": [part]}])
    replace(made, hits(made, [own_pattern(secret, "[gone]")]))
    assert "40712" not in json.dumps(made.visible[0].to_dict())
    assert search(made, [own_pattern("x9", "")]).stays.sealed == 0


def test_the_name_of_a_file_in_a_data_url_is_searched() -> None:
    url = "data:application/pdf;name=Ann40712.pdf;base64,QUJDREVG"
    parts = [
        {"type": "image", "image_url": {"url": url}},
        {"type": "data", "data": {"type": "file", "file": {"file_data": url}}},
        {"type": "image", "image_url": {"url": "data:text/plain;charset=utf-8;base64,QUJDREVG"}},
    ]
    made = Conversation([{"role": "user", "content": parts}])
    replace(made, hits(made, [own_pattern("Ann40712", "x")]))
    assert "40712" not in json.dumps(made.visible[0].to_dict())
    assert (
        search(made, [own_pattern("QUJD", "")]).stays.sealed == 2
    )  # Of the message of before, too.


def test_what_a_format_kept_goes_where_the_content_changes_and_nowhere_else() -> None:
    parts = [
        {"type": "text", "text": "zip 40712", "metadata": {"anthropic": {"cited": "40712"}}},
        {"type": "text", "text": "calm", "metadata": {"anthropic": {"cited": "zip 40712", "n": 1}}},
    ]
    made = Conversation(
        [{"role": "user", "content": parts, "metadata": {"anthropic": {"a": 1}, "mine": "b"}}]
    )
    replace(made, hits(made, [own_pattern("40712", "")]))
    (now,) = made.visible
    assert "40712" not in json.dumps(now.to_dict())
    assert now.parts[1].metadata == {"anthropic": {"cited": "zip ", "n": 1}}
    assert now.metadata == {"anthropic": {}, "mine": "b"}


def test_what_was_replaced_and_what_is_hidden_stays_in_the_log() -> None:
    made = talk({"role": "user", "content": MAIL})
    made.execute({"operation": "DELETE", "indices": [3]})
    assert search(made, EVERY).stays.total("purge") == 1
    replace(made, hits(made, EVERY))
    stays = search(made, EVERY).stays
    assert (stays.total(), stays.total("purge")) == (5, 5)


def test_a_note_that_repeats_the_arguments_goes_with_them() -> None:
    odd = f'{{"to":   "{MAIL}"}}'
    row = {"id": "c1", "type": "function", "function": {"name": "send", "arguments": odd}}
    source = [{"role": "assistant", "content": None, "tool_calls": [row]}]
    openai = format_named("openai")
    made = load(source).conversation
    assert odd in json.dumps(made.visible[0].to_dict()).replace('\\"', '"')
    replace(made, hits(made, EVERY))
    assert MAIL not in json.dumps(made.visible[0].to_dict())
    assert "[mail]" in openai.write(made).text


def test_hits_of_another_state_are_refused_with_nothing_changed() -> None:
    made = talk()
    found = hits(made, EVERY)
    made.execute({"operation": "DELETE", "indices": [0]})
    before = made.copy()
    with pytest.raises(Refused, match="look for it again"):
        replace(made, found)
    changed = [found[2]._replace(before="other", position=0)]
    with pytest.raises(Refused, match="look for it again"):
        replace(made, changed)
    assert made == before


def test_a_pattern_that_takes_too_long_is_refused_by_its_message() -> None:
    made = Conversation([{"role": "user", "content": "a" * 40 + "b"}])
    slow = own_pattern("(a|aa|aaa)+$", "x", is_regex=True)
    with pytest.raises(Refused, match="takes too long on message 0"):
        hits(made, [slow])


@given(
    st.lists(message, min_size=1, max_size=8), st.sampled_from(WORDS), st.sampled_from(["", "[x]"])
)
def test_whatever_is_replaced_undo_gives_back_and_nothing_else_changes(
    messages: list[Any], word: str, new: str
) -> None:
    made = Conversation(messages)
    before = list(made.visible)
    found = hits(made, [own_pattern(word, new)])
    result = replace(made, found)
    assert made.check() == []
    after = list(made.visible)
    touched = {one.position for one in found}
    for position, (old, now) in enumerate(zip(before, after, strict=True)):
        assert (old.role, old.id, old.timestamp, old.calls, old.results) == (
            now.role,
            now.id,
            now.timestamp,
            now.calls,
            now.results,
        )
        if position not in touched:
            assert old == now
        else:
            assert _rest(old, found, position) == dict(texts_of(now))
    if result is not None:
        made.undo()
    assert list(made.visible) == before


def texts_of(message: Message) -> Iterator[tuple[Any, str]]:
    """Yield every text of a message that is replaced unless more is asked for."""
    for place in TextWalk().message(message):
        if place.kind in REACHED:
            yield place.path, place.text


def _rest(old: Message, found: list[ReplaceHit], position: int) -> dict[Any, str]:
    """Return the texts of a message with each hit replaced, the slow way."""
    texts = dict(texts_of(old))
    mine = [one for one in found if one.position == position]
    for at in {hit.path[0] for hit in mine if hit.path[1] == "thinking"}:
        texts.pop((at, "signature"), None)  # It would not fit the new text.
    for hit in reversed([one for one in mine if one.path in texts]):
        text = texts[hit.path]
        texts[hit.path] = text[: hit.start] + hit.after + text[hit.end :]
    # A signature of which nothing is left is no signature.
    return {path: text for path, text in texts.items() if text or path[-1] != "signature"}


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(values, st.booleans(), st.text())
def test_strings_of_json_change_and_all_around_them_stays(
    value: Any, is_ascii: bool, new: str
) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii)
    strings = json_strings(text)
    if not isinstance(value, list | dict):
        assert strings == []
        return
    same = {n: one.text for n, one in enumerate(strings) if not one.is_number}
    assert with_strings(text, same) == text
    news = {
        n: one.text + new for n, one in enumerate(strings) if not one.is_name and not one.is_number
    }
    changed = with_strings(text, news)
    assert json.loads(changed) == _with_suffix(value, new)


def _with_suffix(value: Any, new: str) -> Any:
    match value:
        case str():
            return value + new
        case list():
            return [_with_suffix(item, new) for item in value]
        case dict():
            return {key: _with_suffix(item, new) for key, item in value.items()}
    return value


@given(message)
def test_the_same_texts_put_back_make_the_same_message(given: Any) -> None:
    made = Message.from_dict(given)
    texts = dict(texts_of(made))
    again = with_texts(made, texts) if texts else made
    assert dict(texts_of(again)) == texts


def test_operations_are_those_of_the_engine() -> None:
    made = talk()
    asked = operations(made, hits(made, EVERY))
    assert [one.title for one in asked] == ["REPLACE"]
    assert made.preview(asked).changed


def test_names_that_someone_chose_in_a_schema_are_found_and_replaced_everywhere() -> None:
    schema = {
        "type": "object",
        "x-40712": {"who 40712": "v"},
        "properties": {
            "a": {"type": "string", "examples": [{"id 40712": 1}], "default": {"k 40712": 2}}
        },
    }
    conversation = Conversation(meta={"tools": [{"name": "f", "parameters": schema}]})
    what = [own_pattern("40712", "X")]
    assert search(conversation, what).stays.total("everywhere") == 4
    replace(conversation, hits(conversation, what, everywhere=True))
    (tool,) = thaw(conversation.meta["tools"])
    assert "40712" not in json.dumps(tool)
    assert tool["parameters"]["properties"].keys() == {"a"}


def test_training_weights_stay_with_a_message_whose_text_changes() -> None:
    rows = [{"role": "assistant", "content": "bad Secret1 answer", "weight": 0, "name": "b"}]
    conversation = load({"messages": rows}, "openai").conversation
    replace(conversation, hits(conversation, [own_pattern("Secret1", "XX")]))
    written = format_named("openai").write(conversation).data
    assert written["messages"] == [{**rows[0], "content": "bad XX answer"}]


def test_names_in_warnings_of_the_import_are_found_and_said_to_stay() -> None:
    details = Details("t", warnings=(FormatWarning.of("role-read-as", ["Ann Secretson as user"]),))
    (one,) = search(Conversation(), [own_pattern("Secretson", "")], details=details).stays.places
    assert (one.where, one.remedy) == ("warnings of the import", "purge")
