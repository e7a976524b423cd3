"""The other fields of a conversation, as they are kept now and as version 0.1 kept them."""

from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.engine.meta_fields import PARTED, field_texts, other_fields, path_name, with_fields
from ctxtui.core.engine.operations import DescribeMeta
from ctxtui.core.formats import FORMATS
from ctxtui.core.values.frozen import thaw

NODE = {"id": "a", "message": None, "parent": None, "children": ["b"]}
UNREAD = {"id": "c", "message": {"author": {}, "content": "hello"}, "parent": "a", "children": []}
OLD: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ({"openai": {"label": "x", "n": 1}}, {"label": "x", "n": 1}, {"openai": {}}),
    (
        {"hf": {"messages": ["bare"], "tools": {"wrapped": False}, "split": "train"}},
        {"split": "train"},
        {"hf": {"messages": ["bare"], "tools": {"wrapped": False}}},
    ),
    ({"alpaca": {"score": 2}}, {"score": 2}, {"alpaca": {}}),
    (
        {"sharegpt": {"conversations": "bare", "id": "7"}},
        {"id": "7"},
        {"sharegpt": {"conversations": "bare"}},
    ),
    (
        {"anthropic": {"messages": "bare", "model": "m"}},
        {"model": "m"},
        {"anthropic": {"messages": "bare"}},
    ),
    (
        {"gemini": {"contents": "bare", "spelling": "snake", "tools": {"groups": []}, "user": "u"}},
        {"user": "u"},
        {"gemini": {"contents": "bare", "spelling": "snake", "tools": {"groups": []}}},
    ),
    (
        {"responses": {"input": "asked before", "output": "items", "model": "m"}},
        {"input": "asked before", "model": "m"},
        {"responses": {"output": "items"}},
    ),
    (
        {"chatgpt": {"id": "1", "mapping": {"a": NODE, "c": UNREAD}, "end": "b"}},
        {"id": "1", "mapping": {"c": UNREAD}},
        {"chatgpt": {"mapping": {"a": NODE}, "end": "b"}},
    ),
    (
        {"langchain": {"shape": "flat", "beside": {"run": "r"}}},
        {"run": "r"},
        {"langchain": {"shape": "flat", "beside": {}}},
    ),
    (
        {"claude-code": {"others": [[1, {"type": "mode"}]]}},
        {"lines": [[1, {"type": "mode"}]]},
        {"claude-code": {}},
    ),
    (
        {"claude-code": {"others": [[1, {"type": "mode"}]], "web": {"lines": "of its own"}}},
        {"lines": "of its own", "loglines": [[1, {"type": "mode"}]]},
        {"claude-code": {"web": {}}},
    ),
    ({"codex": {"others": [[0, {}]]}}, {"lines": [[0, {}]]}, {"codex": {}}),
    ({"inspect": {"id": 3}}, {"id": 3}, {"inspect": {}}),
    ({"fields": "somebody's own"}, {"fields": "somebody's own"}, {}),
]


@pytest.mark.parametrize(("meta", "fields", "layout"), OLD, ids=lambda one: next(iter(one), ""))
def test_what_older_versions_kept_under_a_format_is_found_and_can_be_changed(
    meta: dict[str, Any], fields: dict[str, Any], layout: dict[str, Any]
) -> None:
    made = Conversation(meta={"title": "t", **meta})
    assert thaw(other_fields(made.meta)) == fields
    assert list(other_fields(made.meta)) == list(fields)
    changed = {**fields, "new": "value"}
    made.execute(DescribeMeta(meta=with_fields(made.meta, changed)))
    assert thaw(made.meta) == {"title": "t", **layout, "fields": changed}
    assert thaw(other_fields(made.meta)) == changed
    made.execute(DescribeMeta(meta=with_fields(made.meta, {})))
    assert thaw(made.meta) == {"title": "t", **layout}
    assert not other_fields(made.meta)


def test_every_format_that_version_0_1_has_read_is_parted() -> None:
    known = {one.name for one in FORMATS if one.reads}
    assert {"openai", "hf", "chatgpt", "claude-code", "codex", "tau-bench"} <= set(PARTED) <= known


def test_fields_of_now_count_after_old_ones_and_stay_in_their_order() -> None:
    meta = {"openai": {"a": 1, "b": 2}, "fields": {"z": 3, "b": 4}}
    assert other_fields(meta) == {"a": 1, "b": 4, "z": 3}
    assert list(other_fields({"fields": {"z": 3, "b": 4}})) == ["z", "b"]


def test_every_text_of_the_fields_is_found_with_its_path() -> None:
    meta = {"tools": [{"name": "no"}], "fields": {"a": "x", "b": [{"c": "y"}, 1, None], "d": {}}}
    found = [(path_name(path), text) for path, text in field_texts(meta)]
    assert found == [("a", "x"), ("b[0].c", "y")]
