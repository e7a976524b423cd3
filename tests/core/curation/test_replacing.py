"""Replacing changes what was found and nothing else, as one change that can be undone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import Conversation, Message, Refused
from core.curation.json_strings import json_strings, with_strings
from core.curation.patterns import PATTERNS, own_pattern
from core.curation.replacing import (
    ReplaceHit,
    by_message,
    by_pattern,
    hits,
    meant,
    operations,
    replace,
    what_stays,
)
from core.curation.texts import text_at, texts_of, with_texts
from core.formats import format_named, load
from tests.core.message_strategies import WORDS, message

EVERY = list(PATTERNS.values())
MAIL = "kb@mail.example"


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


def test_pictures_data_and_metadata_stay_and_are_counted() -> None:
    image = {"type": "image", "image_url": {"url": f"http://x.test/{MAIL}"}}
    data = {"type": "data", "data": {"raw": MAIL}}
    made = Conversation(
        [{"role": "user", "content": [image, data], "metadata": {"from": MAIL, MAIL: 1}}],
        meta={"title": f"mail of {MAIL}"},
    )
    assert hits(made, EVERY) == []
    assert what_stays(made, EVERY, ("a title", MAIL)) == (0, 4, 2, 0)


def test_what_was_replaced_and_what_is_hidden_stays_in_the_log() -> None:
    made = talk({"role": "user", "content": MAIL})
    made.execute({"operation": "DELETE", "indices": [3]})
    assert what_stays(made, EVERY).hidden == 1
    replace(made, hits(made, EVERY))
    assert what_stays(made, EVERY) == (5, 0, 0, 0)


def test_a_note_that_repeats_the_arguments_follows_them() -> None:
    odd = f'{{"to":   "{MAIL}"}}'
    row = {"id": "c1", "type": "function", "function": {"name": "send", "arguments": odd}}
    source = [{"role": "assistant", "content": None, "tool_calls": [row]}]
    openai = format_named("openai")
    made = load(source).conversation
    assert odd in json.dumps(made.visible[0].to_dict()).replace('\\"', '"')
    replace(made, hits(made, EVERY))
    assert MAIL not in json.dumps(made.visible[0].to_dict())
    assert "[mail]" in openai.write(made).text
    assert what_stays(made, EVERY).beside == 0


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


def _rest(old: Message, found: list[ReplaceHit], position: int) -> dict[Any, str]:
    """Return the texts of a message with each hit replaced, the slow way."""
    texts = dict(texts_of(old))
    for hit in reversed([one for one in found if one.position == position]):
        text = texts[hit.path]
        texts[hit.path] = text[: hit.start] + hit.after + text[hit.end :]
    return texts


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
    assert with_strings(text, {n: one.text for n, one in enumerate(strings)}) == text
    news = {n: one.text + new for n, one in enumerate(strings) if not one.is_name}
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
    assert all(text_at(made, path) == text for path, text in texts.items())


def test_operations_are_those_of_the_engine() -> None:
    made = talk()
    asked = operations(made, hits(made, EVERY))
    assert [one.title for one in asked] == ["REPLACE"]
    assert made.preview(asked).changed


def test_labels_tool_descriptions_and_recorded_calls_are_counted_too() -> None:
    made = talk()
    made.execute({"operation": "MARK", "indices": [0], "label": MAIL})
    made.execute({"operation": "CONFIGURE", "toolDescription": f"ask {MAIL}"})
    made.record_call(answer={"content": MAIL})
    assert what_stays(made, EVERY) == (0, 0, 2, 1)
