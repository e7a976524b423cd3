"""Capturing within a program: bodies and answers, as data or as objects of a library."""

from collections.abc import Iterator
from typing import Any

import pytest

from ctxtui.core import Refused, capture
from ctxtui.core.capture import Capture
from tests.core.requests.traffic import answer, said


class Library:
    """An object as a provider's library gives it."""

    def __init__(self, **data: Any) -> None:
        self._data = data

    def model_dump(self) -> dict[str, Any]:
        return self._data


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    capture.forget()
    yield
    capture.forget()


def test_calls_of_a_program_become_a_conversation() -> None:
    first = {"model": "m", "messages": [said("user", "hi")]}
    capture.record(first, answer("Hello to all of you."))
    reply = said("assistant", "Hello to all of you.")
    found = capture.record({"model": "m", "messages": [said("user", "hi"), reply]})
    assert [one.operation for one in found.explanations] == ["APPEND"]
    talk = capture.conversation()
    assert talk is not None
    assert [message.text for message in talk.visible] == ["hi", "Hello to all of you."]
    assert len(capture.threads()) == 1


def test_objects_of_a_library_are_taken_as_what_they_hold() -> None:
    reply = Library(role="assistant", content="ho")
    capture.record({"messages": [said("user", "hi"), reply]}, Library(**answer("ha")))
    talk = capture.conversation()
    assert talk is not None
    assert [message.text for message in talk.visible] == ["hi", "ho"]
    assert talk.calls.all[0].request == "chatcmpl-1"


def test_a_body_that_is_changed_later_was_recorded_as_it_was() -> None:
    rows = [said("user", "hi")]
    capture.record({"messages": rows})
    rows[0]["content"] = "ho"
    talk = capture.conversation()
    assert talk is not None
    assert talk.visible[0].text == "hi"


def test_tags_and_captures_keep_runs_apart() -> None:
    body = {"messages": [said("user", "hi"), said("assistant", "ho"), said("user", "ha")]}
    own = Capture()
    found = [own.record(body, tag=tag).thread.id for tag in ("a", "b", "a")]
    assert found == [0, 1, 0]
    assert [thread.name for thread in own.threads] == ["a", "b"]
    assert capture.threads() == ()


@pytest.mark.parametrize(
    ("body", "more", "sentence"),
    [
        ({"messages": [object()]}, {}, "body is no JSON: Type is not JSON serializable: object"),
        ([1], {}, "body a list of 1 is not an object, as it is sent"),
        ({"model": "m"}, {}, "there are no messages in it"),
        ({"messages": []}, {"kind": "smoke"}, "kind 'smoke' is not one of chat, responses"),
        ({"messages": []}, {"outcome": "odd"}, "outcome 'odd' is not one of complete, cut"),
    ],
)
def test_what_is_no_request_is_refused(body: Any, more: dict[str, Any], sentence: str) -> None:
    with pytest.raises(Refused) as refused:
        capture.record(body, **more)
    assert str(refused.value).startswith(sentence)
