"""JSON text: read strictly, with the place of what is wrong, and written in ASCII."""

import json

import pytest

from ctxtui.core import Refused
from ctxtui.core.formats import dump_json, read_json
from ctxtui.core.formats.json_text import NotJson, read_dirty_json
from tests.core.samples import refusal

DEEP = 200_000


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ('{"a": [1, 2.5, true, null, "ß"]}', {"a": [1, 2.5, True, None, "ß"]}),
        (b"[1]", [1]),
        ('"日本"'.encode(), "日本"),
        ("\ufeff[]".encode(), []),
        ("\ufeff[]", []),
        ('{"a": 1, "a": 2}', {"a": 2}),
        (r'"\ud800"', "\ud800"),
        ("1e308", 1e308),
        ("9" * 4000, int("9" * 4000)),
    ],
    ids=[
        "all kinds",
        "bytes",
        "utf-8",
        "mark",
        "mark in text",
        "twice",
        "surrogate",
        "big",
        "long",
    ],
)
def test_json_is_read(source: str | bytes, value: object) -> None:
    assert read_json(source) == value


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("", "it is not JSON: Expecting value at line 1, column 1"),
        (
            '{"a": 1,\n "b" 2}',
            "it is not JSON: Expecting ':' delimiter at line 2, column 6",
        ),
        ('["a', "it is not JSON: Unterminated string starting at line 1, column 2"),
        ('"a\nb"', "it is not JSON: Invalid control character at line 1, column 3"),
        ("[] []", "it is not JSON: Extra data at line 1, column 4"),
        ("[NaN]", "it is not JSON: NaN is no JSON number"),
        ("[-Infinity]", "it is not JSON: -Infinity is no JSON number"),
        ("[1e999]", "the number 1e999 is too large to be kept"),
        ("9" * 5000, "it is JSON with a whole number of more digits than can be read"),
        ("[" * DEEP + "]" * DEEP, "it is JSON nested deeper than can be read"),
        ('{"a":' * DEEP, "it is JSON nested deeper than can be read"),
        (b'["a\xff"]', "byte 3 (0xff) is not UTF-8 text"),
        ("[1]".encode("utf-16"), "byte 0 (0xff) is not UTF-8 text"),
        (b'"\xed\xa0\x80"', "byte 1 (0xed) is not UTF-8 text"),
    ],
    ids=[
        "empty",
        "no colon",
        "open text",
        "line break",
        "more",
        "nan",
        "infinity",
        "overflow",
        "digits",
        "deep",
        "deep objects",
        "byte",
        "utf-16",
        "surrogate bytes",
    ],
)
def test_what_is_not_json_is_refused_with_its_place(source: str | bytes, sentence: str) -> None:
    assert str(refusal(lambda: read_json(source))) == sentence


def test_written_text_is_ascii_and_keeps_lone_surrogates() -> None:
    data = {"a": "\ud800 日本 \u202e\x1b", "b": [1.5, None]}
    text = dump_json(data)
    assert text.isascii()
    assert "\n" not in text
    assert read_json(text.encode()) == data


def test_written_text_can_be_indented() -> None:
    assert dump_json({"a": [1]}, indent=1) == json.dumps({"a": [1]}, indent=1)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**5000], ids=["nan", "inf", "int"])
def test_what_json_cannot_hold_is_not_written(value: object) -> None:
    with pytest.raises(Refused, match="can't be written as JSON"):
        dump_json([value])


@pytest.mark.parametrize("digits", [19, 20, 21, 40])
@pytest.mark.parametrize("before", range(8))
def test_a_long_whole_number_keeps_every_digit_wherever_it_stands(digits: int, before: int) -> None:
    number = int("1234567890" * 4) // 10 ** (40 - digits)
    text = json.dumps({"x" * before: number})
    assert read_dirty_json(text.encode(), pytest.fail) == {"x" * before: number}


@pytest.mark.parametrize("source", ['{"a": 1, "b": 0, "a": 2}', '[{"b": {"a": 1, "a": 1}}]'])
def test_a_key_that_stands_twice_is_refused_where_each_counts(source: str) -> None:
    caught = refusal(lambda: read_json(source, keys_once=True))
    assert str(caught) == "the key 'a' is given twice in one object"
    assert (caught.field, caught.legal) == ("a", "each key once")


def test_the_same_key_in_several_objects_is_no_fault() -> None:
    assert read_json('[{"a": {"a": 1}}, {"a": 2}]', keys_once=True) == [{"a": {"a": 1}}, {"a": 2}]


@pytest.mark.parametrize(
    ("source", "why"), [('["a" 1]', "Expecting ',' delimiter"), ("[NaN]", "NaN is no JSON number")]
)
def test_a_refusal_has_its_reason_without_the_place(source: str, why: str) -> None:
    with pytest.raises(NotJson) as found:
        read_json(source)
    assert found.value.why == why
