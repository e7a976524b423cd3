"""A regular expression that would take gigabytes is refused before it is compiled."""

from __future__ import annotations

import pytest
import regex

from ctxtui.core import Conversation, Refused
from ctxtui.core.engine.text_search import MOST_CHARACTERS, TextFinder, check_pattern
from ctxtui.core.scripts import Script

ENDLESS = [
    "a{10000000}",
    "a{0,10000000}",
    "a{,99999999}",
    "a{10000000,}",
    "a{00000000000000000000010000000}",
    "a{" + "9" * 5000 + "}",
    "((a{1000}){1000}){1000}",
    "(?:(?:ab{100}){100}){100}",
    "(?P<name>(?<other>a{1000}){1000})",
    "(?i:a{1000}){1000}",
    "(?:a{1000})(?i){1000}",
    "(?=a{1000}){1000}",
    "(a{400}|b{400}){400}",
    "[(]a{10000000}",
    "[]]a{10000000}",
    "[^])]a{10000000}",
    r"[\])]a{10000000}",
    r"(?:[)]a{1000}[(]){1000}",
    r"(?:\)a{1000}\(){1000}",
    r"\\{10000000}",
    "a{1000}" * 200,
    "(?:a){e<=10000000}",
]
UNCLEAR = [
    "(?x) a{1 000}",
    "(?ix:a{3})",
    "(?V1)(?:a{1000}[[x])(]){1000}",
    "(?#[)a{1000}",
    "(?:a{1000}[[:alpha:])(]){1000}",
]
USUAL = [
    r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?Z",
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    r"(?:[A-F0-9]{1,4}:){7}[A-F0-9]{1,4}",
    r"\b(?:\w{1,50}\s){1,500}",
    r"\{\d{3}\}[{]{2}[}]",
    r"\p{L}{2,40}|\N{DIGIT ONE}{3}",
    r"(?:error){e<=2}",
    r"(?x) word # and a comment",
    r"[[:alpha:]]+",
    r"{}",
    r"x{,}",
    "|".join(f"word{i}" for i in range(1000)),
]


@pytest.mark.parametrize("text", ENDLESS)
def test_too_many_repeats_are_refused_before_anything_is_compiled(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regex, "compile", lambda *_: pytest.fail("it was compiled"))
    with pytest.raises(Refused, match=r"100,000 are legal") as caught:
        TextFinder(text, is_regex=True)
    assert (caught.value.field, caught.value.value) == ("text", text)
    assert caught.value.legal == "1…100000 steps"
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("text", UNCLEAR)
def test_where_repeats_can_not_be_counted_braces_are_refused(text: str) -> None:
    with pytest.raises(Refused, match="repeats can't be counted"):
        TextFinder(text, is_regex=True)


@pytest.mark.parametrize("text", USUAL)
def test_usual_patterns_are_taken(text: str) -> None:
    check_pattern(text)
    TextFinder(text, is_regex=True)


@pytest.mark.parametrize("text", ["(?R)a", "(a)(?1)", "(?<n>a)(?&n)", "(?P<n>a)(?P>n)", "(a)(?-1)"])
def test_a_pattern_that_may_call_itself_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="calls a group by"):
        TextFinder(text, is_regex=True)


def test_a_pattern_may_have_so_many_characters_and_no_more() -> None:
    check_pattern("a" * MOST_CHARACTERS)
    with pytest.raises(Refused, match=r"10,001 characters.*may have 10,000"):
        check_pattern("a" * (MOST_CHARACTERS + 1))


@pytest.mark.parametrize("text", ["a{2})", "[a{2}", "(?:a){e<=" + "9" * 5000 + ":[b]}", "(a{2}"])
def test_a_broken_pattern_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="text "):
        TextFinder(text, is_regex=True)


def test_a_plain_text_may_be_of_any_length_and_is_not_read_as_a_pattern() -> None:
    long = "a{10000000}" * 100_000
    conversation = Conversation([{"role": "user", "content": long}])
    assert conversation.query.search("A{10000000}") == [0]
    assert conversation.query.search(long) == [0]
    assert TextFinder(long).spans("a{10000000}") == []
    assert TextFinder("a{2}").spans("A{2} a{2}") == [(0, 4), (5, 9)]


def test_a_script_with_such_a_pattern_is_refused_at_its_step() -> None:
    script = Script.from_dict(
        {"steps": [{"query": {"kind": "search", "text": "a{10000000}", "regex": True}}]}
    )
    (report,) = script.take(script.start())
    assert report.error == "text 'a{10000000}' repeats 10,000,000 times or more; 100,000 are legal"
