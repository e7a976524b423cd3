"""State that a provider keeps: responses and conversations that a request only names."""

import json
from dataclasses import replace
from typing import Any

from ctxtui.core.requests.exchange import Exchange
from tests.core.requests.checking import checked, titles
from tests.core.requests.test_revising import VECTORS
from tests.core.requests.traffic import Row, exchange_of, said


def recording(name: str) -> list[Exchange]:
    lines = (VECTORS / "seen" / f"{name}.jsonl").read_text("utf-8").splitlines()
    found = [exchange_of(json.loads(line)) for line in lines]
    return [replace(one, outcome="failed") if one.status != 200 else one for one in found]


def asks(text: str, *, path: str = "/v1/responses", output: Any = None, **more: Any) -> Exchange:
    """Return a request of one text; its answer repeats it unless told otherwise."""
    said_back = [said("assistant", f"You said {text}, did you not?", type="message")]
    response = {"id": f"resp-{text}", "output": said_back if output is None else output}
    return Exchange({"model": "m", "input": text, **more}, response, "responses", path)


def texts(*exchanges: Exchange) -> list[str]:
    return [message.text for message in checked(exchanges).conversation().visible]


def test_a_stored_conversation_grows_by_what_is_sent() -> None:
    stored: Row = {"conversation": {"id": "conv-1"}}
    assert texts(asks("one", **stored), asks("two", **stored), asks("three", **stored)) == [
        *("one", "You said one, did you not?"),
        *("two", "You said two, did you not?"),
        "three",
    ]


def test_a_response_may_be_gone_on_from_twice() -> None:
    branch = {"previous_response_id": "resp-one"}
    found = checked([asks("one"), asks("two", **branch), asks("three", **branch)])
    assert [one.thread.id for one in found.recorded] == [0, 0, 0]
    assert [message.text for message in found.conversation().visible] == [
        *("one", "You said one, did you not?"),
        "three",
    ]
    assert titles(found.recorded[-1]) == "TRUNCATE APPEND"


def test_instructions_are_those_of_the_newest_request() -> None:
    first = asks("one", instructions="Be brief.")
    second = asks("two", instructions="Be kind.", previous_response_id="resp-one")
    found = checked([first, second])
    assert titles(found.recorded[1]) == "REPLACE APPEND"
    assert found.conversation().visible[0].text == "Be kind."


def test_instructions_may_stand_among_the_items_for_once() -> None:
    text, user = "Be brief.", said("user", "one")
    listed = [said("developer", [{"type": "input_text", "text": text}], type="message"), user]
    named: Row = {"model": "m", "instructions": text, "input": [user]}
    bodies: list[Row] = [named, {"model": "m", "input": listed}, named]
    found = checked(Exchange(body, kind="responses", tag="t") for body in bodies)
    assert found.operations() == ["START", "REPEAT", "REPEAT"]


def test_a_compaction_of_the_provider_is_proven() -> None:
    item: Row = {"type": "compaction", "id": "cmp_1", "encrypted_content": "AAAA"}
    rows = [said("user", "one"), said("assistant", "You said one, did you not?")]
    body = {"model": "m", "input": [*rows, said("user", "two")]}
    compact = Exchange(body, {"id": "c", "output": [item]}, "responses", "/v1/responses/compact")
    after = Exchange(
        {"model": "m", "input": [item, said("user", "two"), said("user", "three")]},
        kind="responses",
    )
    second = Exchange(body, kind="responses")
    found = checked([asks("one"), second, compact, after])
    assert [one.thread.role for one in found.recorded] == ["main", "main", "sideCalls", "main"]
    step = found.recorded[-1].explanations[0]
    assert (step.operation, step.certainty) == ("COMPRESS", "proven")
    assert step.reason == "raw 0–1 became one message, which the provider made of them"


def test_message_threads_go_on_and_a_lost_one_is_sent_again() -> None:
    found = checked(recording("a_thread"))
    assert [one.thread.id for one in found.recorded] == [0, 0, 0, 1, 1, 2, 1]
    lost = found.recorded[5].thread
    assert (lost.role, lost.parent) == ("attempts", 1)
    assert [titles(found.recorded[number]) for number in (1, 2, 4, 6)] == ["APPEND"] * 4
    roles = [message.role for message in found.conversation(0).visible]
    assert roles == ["system", "user", *["assistant", "tool"] * 2]


def test_a_compaction_that_paused_is_proven_by_its_block() -> None:
    found = checked(recording("a_compact_pause"))
    step = found.recorded[5].explanations[0]
    assert (step.operation, step.certainty) == ("COMPRESS", "proven")
    assert found.operations()[6:] == ["APPEND", "APPEND"]
