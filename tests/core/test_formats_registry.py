"""Formats: detected, chosen by name, or refused with what was looked for."""

from functools import partial
from typing import Any

import pytest

from ctxtui.core.formats import FORMATS, READABLE, Source, detect, format_for, format_named, load
from ctxtui.core.formats.data_rows import DataRows
from tests.core.samples import call, five, refusal, said

PLAIN = [said("user", "hi"), said("assistant", "hello")]
NAMED = [{**said("user", "hi"), "name": "ann"}]
CALLING = {
    "role": "assistant",
    "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    ],
}


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (format_named("native").write(five()).data, "native"),
        ({"format": "ctxtui", "version": 1}, "native"),
        (PLAIN, "native"),
        ([said("user", [{"type": "text", "text": "hi"}]), call("a")], "native"),
        ([], "native"),
        (NAMED, "openai"),
        ([*PLAIN, CALLING], "openai"),
        ([said("user", "")], "openai"),
        ([said("developer", "be kind")], "openai"),
        ([said("user", "hi"), said("robot", "hi")], "openai"),
        ([5, said("user", "hi")], "openai"),
        ({"messages": PLAIN}, "openai"),
        ({"messages": [], "model": "m"}, "openai"),
    ],
    ids=[
        "saved",
        "damaged",
        "plain list",
        "core list",
        "empty list",
        "name",
        "calls",
        "empty content",
        "developer",
        "unknown role",
        "not an object",
        "object",
        "object without messages",
    ],
)
def test_the_format_is_detected(data: Any, name: str) -> None:
    assert detect(Source.of_data(data)).name == name


@pytest.mark.parametrize(
    "data",
    [
        None,
        5,
        "hi",
        {},
        [5],
        [{}],
        [{"role": 5}],
        [{"role": "robot"}],
        {"messages": 5},
        {"messages": [[]]},
        {"format": "tarball"},
        [{"robot": "hi", "role": "robot"}],
    ],
    ids=str,
)
def test_what_fits_no_format_is_refused_with_what_was_looked_for(data: Any) -> None:
    caught = refusal(lambda: load(data))
    sentence = str(caught)
    assert f"is in no known format; ctxtui reads {len(READABLE)} formats" in sentence
    assert caught.legal == ", ".join(READABLE)
    assert "import" not in sentence
    assert "\n" not in sentence


def test_a_detected_format_reads() -> None:
    loaded = load(NAMED)
    assert loaded.format == "openai"
    assert [message.text for message in loaded.conversation.visible] == ["hi"]
    assert load(PLAIN).format == "native"


def test_a_named_format_is_used_even_where_another_would_be_detected() -> None:
    assert load(PLAIN, "openai").format == "openai"
    assert load(PLAIN, "native").format == "native"


@pytest.mark.parametrize("name", READABLE)
def test_a_named_format_refuses_what_it_cannot_read(name: str) -> None:
    nothing_known: list[Any] = [None, 5, "hi", {}]
    for data in nothing_known:
        assert "\n" not in str(refusal(partial(load, data, name)))


def test_an_unknown_name_is_refused_with_the_legal_ones() -> None:
    caught = refusal(lambda: load(PLAIN, "tarball"))
    assert str(caught).startswith("format 'tarball' is not one of native, openai")
    assert caught.field == "format"


def test_names_are_unique_and_every_format_says_what_it_looks_like() -> None:
    names = [known.name for known in FORMATS]
    assert len(set(names)) == len(names)
    assert all(known.about and "\n" not in known.about for known in FORMATS)
    assert [format_named(name).name for name in names] == names


@pytest.mark.parametrize(
    ("file", "name"),
    [("a.json", "native"), ("a.JSONL", "native"), ("a.openai.json", "openai"), ("a.txt", None)],
)
def test_the_longest_ending_of_a_file_chooses_its_format(file: str, name: str | None) -> None:
    chosen = format_for(file)
    assert (chosen and chosen.name) == name


def test_no_two_formats_claim_an_ending_or_a_kind() -> None:
    told_by_kind = [known for known in FORMATS if not isinstance(known, DataRows)]
    for claims, some in (("suffixes", FORMATS), ("kinds", told_by_kind)):
        claimed = [claim for known in some for claim in getattr(known, claims)]
        assert len(set(claimed)) == len(claimed)
