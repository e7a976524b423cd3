"""Digests: what lists, filters and previews know of a conversation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.curation.digest import (
    EXCERPT_LENGTH,
    LONGEST_VALUE,
    MOST_VALUES,
    RIBBON_CELLS,
    Digest,
    MessageStart,
    RoleFigures,
    digest_of,
)
from ctxtui.core.errors import Refused
from ctxtui.core.storage import ImportSource, Library
from ctxtui.files.opening import open_source, parse_conversations
from ctxtui.files.sessions import new_session, source_of
from tests.cli.conftest import SAMPLES
from tests.core.formats.vectors import CLEAN
from tests.storage.samples import edited, said, small, ticking

Data = dict[str, Any]


def call(id: str, name: str = "look", **given: Any) -> Data:
    return {"type": "tool_use", "tool_use": {"id": id, "name": name, "input": given}}


def result(id: str, content: Any) -> Data:
    return {"type": "tool_result", "tool_result": {"tool_use_id": id, "content": content}}


def asking(id: str = "c1", answer: Any = "rain", **beside: Any) -> Conversation:
    messages = [
        {**said("user", "weather?"), **beside},
        said("assistant", [call(id, place="Ulm")]),
        said("tool", [result(id, answer)]),
        said("assistant", "It rains."),
    ]
    return Conversation(messages, clock=ticking())


def test_a_ribbon_has_a_letter_for_each_message_and_capitals_for_what_is_sent() -> None:
    conversation = Conversation(
        [said("system", "be kind"), said("user", "hi"), said("assistant", "hello")]
    )
    conversation.execute({"operation": "DELETE", "indices": [1]})
    digest = digest_of(conversation)
    assert digest.ribbon == "SuA"
    assert [figures.role for figures in digest.roles] == ["system", "assistant"]
    assert sum(figures.messages for figures in digest.roles) == len(conversation.view)
    assert sum(figures.tokens for figures in digest.roles) == conversation.tokens.total
    assert digest.first == MessageStart("assistant", "hello")
    assert digest.last == MessageStart("assistant", "hello")


def test_a_long_log_has_a_short_ribbon_with_what_is_most_of_each_stretch() -> None:
    conversation = small(*["x"] * 1_000)
    conversation.execute({"operation": "TRUNCATE", "keepLast": 500})
    ribbon = digest_of(conversation).ribbon
    assert len(ribbon) == RIBBON_CELLS
    assert ribbon == "u" * 24 + "U" * 24


def test_an_empty_conversation_has_a_digest_and_is_of_no_use_for_training() -> None:
    digest = digest_of(Conversation())
    assert (digest.ribbon, digest.roles, digest.first, digest.last) == ("", (), None, None)
    assert not digest.trainable


def test_excerpts_are_short_and_tell_of_calls_where_nothing_is_said() -> None:
    conversation = Conversation(
        [said("user", "y" * 9_999), said("assistant", [call("c", q="moss")])]
    )
    digest = digest_of(conversation)
    assert digest.first == MessageStart("user", "y" * EXCERPT_LENGTH)
    assert digest.last == MessageStart("assistant", "look\nmoss")


def test_lint_is_that_of_the_session_and_of_a_trainer() -> None:
    broken = asking()
    broken.execute({"operation": "DELETE", "indices": [1]})
    digest = digest_of(broken)
    assert (digest.profile, digest.errors, digest.rules) == ("generic", 1, ("G1",))
    assert (digest_of(asking()).errors, digest_of(asking()).rules) == (0, ())
    assert digest_of(asking()).trainable
    assert not digest.trainable


def test_other_fields_are_known_by_name_and_their_first_values_by_path() -> None:
    fields = {"label": "good", "score": 0.5, "tags": ["a", None], "info": {"by": "y" * 999}}
    conversation = Conversation([said("user", "hi")], meta={"fields": fields})
    digest = digest_of(conversation)
    assert digest.fields == ("label", "score", "tags", "info")
    assert digest.values == {
        "label": "good",
        "score": 0.5,
        "tags[0]": "a",
        "tags[1]": None,
        "info.by": "y" * LONGEST_VALUE,
    }
    assert Digest.from_json(digest.to_json()) == digest
    many = Conversation(meta={"fields": {str(number): [1] * 999 for number in range(99)}})
    assert len(digest_of(many).values) == MOST_VALUES
    assert len(digest_of(many).fields) == 99


def test_what_is_about_a_person_is_counted_in_other_fields_too() -> None:
    for key in ("fields", "openai"):
        conversation = Conversation(meta={key: {"by": ["ada@example.com", "ada"]}})
        assert digest_of(conversation).personal == {"mail": 1}


def test_what_is_about_a_person_is_counted_in_what_is_visible() -> None:
    conversation = small("write to ada@example.com", "and to bob@example.org", "no one")
    assert digest_of(conversation).personal == {"mail": 2}
    conversation.execute({"operation": "DELETE", "indices": [0, 1]})
    assert digest_of(conversation).personal == {}


def same(a: Conversation, b: Conversation) -> bool:
    return digest_of(a).projection == digest_of(b).projection


def test_what_only_names_or_dates_a_message_makes_no_difference_for_training() -> None:
    assert same(asking(), asking("another"))
    assert same(asking(), asking(timestamp=5, id="m1", metadata={"x": 1}))
    assert same(asking(), asking(answer=[{"type": "text", "text": "rain"}]))
    hidden = asking()
    hidden.execute({"operation": "APPEND", "messages": [said("user", "oops")]})
    hidden.execute({"operation": "DELETE", "indices": [4]})
    assert same(asking(), hidden)
    parts = Conversation([said("user", [{"type": "text", "text": "hi"}])])
    assert same(parts, Conversation([said("user", "hi")]))


@pytest.mark.parametrize(
    "other",
    [
        asking(answer="snow"),
        small("weather?"),
        Conversation([said("user", "weather?"), said("user", "It rains.")]),
        Conversation(asking().log, meta={"tools": [{"name": "look"}]}),
        Conversation([*asking().log][::-1]),
    ],
)
def test_what_is_said_done_or_could_be_called_makes_one(other: Conversation) -> None:
    assert not same(asking(), other)


def test_text_between_parts_is_not_glued_together() -> None:
    def of(*texts: str) -> Conversation:
        return Conversation([said("user", [{"type": "text", "text": text} for text in texts])])

    assert not same(of("ab", "c"), of("a", "bc"))
    assert not same(of("ab"), of("a", "b"))


@pytest.mark.parametrize("conversation", [small(), edited(), asking(), Conversation()])
def test_a_digest_is_the_same_after_it_was_kept(conversation: Conversation) -> None:
    digest = digest_of(conversation)
    assert Digest.from_json(digest.to_json()) == digest
    assert all(isinstance(figures, RoleFigures) for figures in digest.roles)


@pytest.mark.parametrize("text", ["", "[]", "{}", "[1,2,3]", '"x"', "null", "[" * 2_000])
def test_what_is_no_digest_is_refused(text: str) -> None:
    with pytest.raises((Refused, ValueError, RecursionError)):
        Digest.from_json(text)


FILES = [
    SAMPLES / "trip.openai.json",
    SAMPLES / "tour.json",
    *CLEAN[::3],
]


@pytest.mark.parametrize("file", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_the_format_is_the_one_it_was_imported_from(file: Path, tmp_path: Path) -> None:
    library, data = Library(tmp_path), open_source(str(file))
    opened = next(iter(parse_conversations(str(file), data)))
    source = source_of(str(file), data)
    with new_session(library, opened, source) as session:
        id = session.id
    with library.open(id) as again:
        assert digest_of(again.conversation, again.details.source).format == opened.format
        assert again.details.source == source._replace(format=opened.format)


def test_older_sessions_tell_their_format_by_the_notes_that_it_left() -> None:
    source = ImportSource("talk.json", "0")
    noted = Conversation([said("user", "hi")], meta={"anthropic": {}})
    assert digest_of(noted, source).format == "anthropic"
    in_message = Conversation([{**said("user", "hi"), "metadata": {"openai": {"name": "x"}}}])
    assert digest_of(in_message, source).format == "openai"
    assert digest_of(small(), source).format == ""
    assert digest_of(noted, None).format == ""
