"""Exact counters: vocabularies of real models, loaded by name when they are first used."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from splintr import Tokenizer

from ctxtui.core import Append, Configure, Conversation, Message
from ctxtui.core.engine.tokens import (
    _COUNTERS,
    DEFAULT,
    VOCABULARIES,
    counter_named,
    counter_names,
    is_exact,
    load,
)
from tests.core.samples import call, facts, five, refusal, refused, replayed, said, talk

NAMES = tuple(VOCABULARIES)
SPECIAL = ("<|endoftext|>", "<|im_start|>", "</s>", "<bos>", "[INST]", "<|eot_id|>", "<unk>")


@pytest.fixture(scope="module", params=NAMES)
def name(request: pytest.FixtureRequest) -> Iterator[str]:
    """Go through the vocabularies, with one loaded at a time: all are 400 MB."""
    yield request.param
    _COUNTERS.pop(request.param, None)


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget every counter but the default, whoever registered it."""
    for name in set(_COUNTERS) - {DEFAULT.name}:
        monkeypatch.delitem(_COUNTERS, name)


@pytest.fixture
def without_package(unloaded: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the import of the package fail, as it does where it is not installed."""
    monkeypatch.setitem(sys.modules, "splintr", None)


def tokens(name: str, text: str) -> int:
    return counter_named(name).count(Message("user", text))


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("cl100k", "hello world", 2),
        ("cl100k", "tiktoken is great!", 6),
        ("cl100k", "お誕生日おめでとう", 9),
        ("o200k", "お誕生日おめでとう", 8),
        ("llama3", "hello world", 2),
        ("qwen3", "hello world", 2),
    ],
)
def test_counts_are_those_the_vocabulary_is_known_for(name: str, text: str, count: int) -> None:
    assert tokens(name, text) == count


def test_every_vocabulary_loads_says_its_name_and_is_exact(name: str) -> None:
    counter = counter_named(name)
    assert (counter.name, counter.exact) == (name, True)
    assert is_exact(name)
    assert 0 < tokens(name, "The quick brown fox jumps over the lazy dog.") < 15


def test_empty_text_costs_nothing(name: str) -> None:
    nothing = Message.from_dict(said("user", [{"type": "text", "text": ""}]))
    assert counter_named(name).count(nothing) == 0


@pytest.mark.parametrize("text", SPECIAL)
def test_text_that_looks_like_a_special_token_is_counted_as_text(name: str, text: str) -> None:
    assert tokens(name, text) > 1
    assert tokens(name, text * 10) > 10


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\udc00\ud800", "日\ud83d"])
def test_a_lone_surrogate_is_counted_as_the_mark_for_a_lost_character(name: str, text: str) -> None:
    lost = "".join("\ufffd" if 0xD800 <= ord(letter) < 0xE000 else letter for letter in text)
    assert tokens(name, text) == tokens(name, lost) > 0


def test_two_halves_of_a_pair_are_counted_as_the_character_they_make() -> None:
    assert tokens("o200k", "\ud83d\ude42") == tokens("o200k", "🙂")


@given(st.text(st.characters(), min_size=1), st.sampled_from(["o200k", "llama2", "gemma3"]))
def test_any_text_can_be_counted(text: str, name: str) -> None:
    assert 0 < tokens(name, text) <= 2 + len(text.encode("utf-8", "surrogatepass"))


def test_what_is_counted_is_everything_searchable() -> None:
    parts = [
        {"type": "thinking", "thinking": {"text": "let me see"}},
        {"type": "tool_use", "tool_use": {"id": "a", "name": "look", "input": {"q": ["red", 7]}}},
        {"type": "image", "image_url": {"url": "http://pictures.test/1"}},
    ]
    message = Message.from_dict(said("assistant", parts))
    plain = Tokenizer.from_pretrained("o200k_base").encode_ordinary("let me see\nlook\nred\n7")
    assert counter_named("o200k").count(message) == len(plain)


def test_a_conversation_counts_exactly_once_it_is_told_to() -> None:
    conversation = talk(said("user", "hello world"), call("a"))
    conversation.execute(Configure(counter="cl100k"))
    assert conversation.tokens.to_dict() == {
        "total": 3,
        "counter": "cl100k",
        "exact": True,
        "notCounted": 0,
    }
    assert conversation.append("user", "hello world").tokens.after == 5
    assert conversation.check() == []
    assert replayed(conversation) == conversation


def test_all_names_are_listed_and_an_unknown_one_is_refused_with_them(unloaded: None) -> None:
    assert counter_names() == ("bytes/4", *NAMES)
    caught = refused(five(), Configure(counter="o199k"))
    legal = ", ".join(counter_names())
    assert str(caught) == f"counter 'o199k' is not known here; known are {legal}"
    assert facts(caught) == ("counter", "o199k", legal)
    assert not is_exact("o199k")


def test_a_vocabulary_is_loaded_once_and_by_its_own_name_only(unloaded: None) -> None:
    assert is_exact("llama2")
    assert "llama2" not in _COUNTERS
    assert counter_named("llama2") is counter_named("llama2")
    assert "llama3" not in _COUNTERS
    assert counter_names() == ("bytes/4", *NAMES)


def test_the_package_is_not_imported_before_it_is_needed() -> None:
    probe = (
        "import sys; from ctxtui import core;"
        "core.Conversation([{'role': 'user', 'content': 'x'}]).tokens;"
        "assert 'splintr' not in sys.modules;"
        "core.Conversation([], {'counter': 'llama2'}).append('user', 'x');"
        "assert 'splintr' in sys.modules"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", probe], cwd=root, stderr=-1, check=False)
    assert done.returncode == 0, done.stderr


def test_without_the_package_the_refusal_says_what_to_install(without_package: None) -> None:
    caught = refused(five(), Configure(counter="o200k"))
    assert str(caught) == (
        "counter 'o200k' needs splintr-rs, which is not installed: "
        "pip install '.[tokens]' in a checkout"
    )
    assert facts(caught)[:2] == ("counter", "o200k")
    assert counter_named("bytes/4") is DEFAULT
    assert counter_names() == ("bytes/4", *NAMES)


def test_counts_made_elsewhere_are_read_without_the_package_and_still_exact(
    unloaded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation = Conversation([said("user", "hello world")], {"counter": "cl100k"})
    del _COUNTERS["cl100k"]
    monkeypatch.setitem(sys.modules, "splintr", None)
    again = replayed(conversation)
    assert (again.tokens.total, again.tokens.exact) == (2, True)
    assert ".[tokens]" in str(refused(again, Append(messages=[said("user", "x")])))


def test_a_package_that_lacks_the_vocabulary_is_to_be_upgraded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(VOCABULARIES, "o300k", "o300k_base")
    caught = refusal(lambda: load("o300k"))
    assert str(caught) == (
        "counter 'o300k' is not in the installed splintr-rs; "
        "pip install -U '.[tokens]' in a checkout brings a newer one"
    )
