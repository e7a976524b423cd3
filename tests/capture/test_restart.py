"""A conversation that goes on after the proxy was started again goes on in its session."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ctxtui.capture.calls import CapturedCall
from ctxtui.capture.keeper import CaptureEvent, Keeper, StoredCall
from ctxtui.core import Conversation
from ctxtui.core.engine.operations import Append
from ctxtui.core.formats import format_named
from ctxtui.core.requests.exchange import Kind
from ctxtui.core.storage import Library, Session
from tests.capture.conftest import CHAT

Row = dict[str, Any]
PATHS: dict[Kind, str] = {
    "chat": CHAT,
    "responses": "/v1/responses",
    "messages": "/v1/messages",
    "gemini": "/v1beta/models/m:generateContent",
    "ollama": "/api/chat",
}


def kept(folder: Path, *calls: CapturedCall) -> list[StoredCall]:
    """Run a proxy's keeper for some calls, and return what became of them."""
    told: list[CaptureEvent] = []
    keeper = Keeper(Library(folder), told.append)
    for call in calls:
        keeper.take(call)
    keeper.close()
    assert [one for one in told if not isinstance(one, StoredCall)] == []
    return [one for one in told if isinstance(one, StoredCall)]


def calling(
    kind: Kind, body: Row, answer: Row, *, tag: str | None = None, **headers: str
) -> CapturedCall:
    """Return a finished call."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    made = CapturedCall(kind, PATHS[kind], named, 1_000, tag)
    made.asked.add(json.dumps({"model": "m", **body}).encode())
    made.status = 200
    made.answered.add(json.dumps(answer).encode())
    return made


def only(folder: Path) -> Conversation:
    """Return the conversation of the only session."""
    library = Library(folder)
    (entry,) = library.list()
    with library.open(entry.id, read_only=True) as session:
        assert session.conversation.check() == []
        return session.conversation


def text(number: int) -> str:
    return f"what was said as answer number {number}"


def chat(number: int) -> CapturedCall:
    rows: list[Row] = [{"role": "system", "content": "be kind"}]
    for n in range(number + 1):
        rows += [{"role": "user", "content": f"question {n}"}]
        rows += [{"role": "assistant", "content": text(n)}] if n < number else []
    message = {"role": "assistant", "content": text(number)}
    return calling(
        "chat", {"messages": rows}, {"id": f"c{number}", "choices": [{"message": message}]}
    )


def ollama(number: int) -> CapturedCall:
    rows: list[Row] = []
    for n in range(number + 1):
        rows += [{"role": "user", "content": f"question {n}"}]
        rows += [{"role": "assistant", "content": text(n)}] if n < number else []
    message = {"role": "assistant", "content": text(number)}
    return calling("ollama", {"messages": rows}, {"model": "m", "message": message, "done": True})


def tools(number: int) -> CapturedCall:
    """Return a call that is answered with a tool call; only ids tell where it goes on."""
    rows: list[Row] = [{"role": "user", "content": "look around"}]
    for n in range(number):
        use = {
            "type": "function",
            "id": f"call_{n}_abc",
            "function": {"name": "f", "arguments": "{}"},
        }
        rows += [{"role": "assistant", "content": None, "tool_calls": [use]}]
        rows += [{"role": "tool", "tool_call_id": f"call_{n}_abc", "content": f"result {n}"}]
    use = {
        "type": "function",
        "id": f"call_{number}_abc",
        "function": {"name": "f", "arguments": "{}"},
    }
    message = {"role": "assistant", "content": None, "tool_calls": [use]}
    return calling(
        "chat", {"messages": rows}, {"id": f"c{number}", "choices": [{"message": message}]}
    )


def messages(number: int) -> CapturedCall:
    rows: list[Row] = []
    for n in range(number + 1):
        marker = {"cache_control": {"type": "ephemeral"}} if n == number else {}
        rows += [{"role": "user", "content": [{"type": "text", "text": f"question {n}", **marker}]}]
        rows += (
            [{"role": "assistant", "content": [{"type": "text", "text": text(n)}]}]
            if n < number
            else []
        )
    answer = {
        "id": f"msg_{number}",
        "role": "assistant",
        "content": [{"type": "text", "text": text(number)}],
    }
    return calling("messages", {"max_tokens": 9, "system": "be kind", "messages": rows}, answer)


def output(number: int) -> list[Row]:
    content = [{"type": "output_text", "text": text(number), "annotations": []}]
    return [{"type": "message", "id": f"msg_{number}", "role": "assistant", "content": content}]


def responses(number: int) -> CapturedCall:
    items: list[Row] = []
    for n in range(number + 1):
        items += [{"role": "user", "content": f"question {n}"}, *(output(n) if n < number else [])]
    return calling(
        "responses", {"input": items}, {"id": f"resp_{number}", "output": output(number)}
    )


def only_new(number: int) -> CapturedCall:
    """Return a call that names the response it goes on from, and sends only what is new."""
    before = {"previous_response_id": f"resp_{number - 1}"} if number else {}
    items = [{"role": "user", "content": f"question {number}"}]
    body = {"input": items, "instructions": "be kind", **before}
    return calling("responses", body, {"id": f"resp_{number}", "output": output(number)})


def gemini(number: int) -> CapturedCall:
    rows: list[Row] = []
    for n in range(number + 1):
        rows += [{"role": "user", "parts": [{"text": f"question {n}"}]}]
        rows += [{"role": "model", "parts": [{"text": text(n)}]}] if n < number else []
    content = {"role": "model", "parts": [{"text": text(number)}]}
    answer = {"candidates": [{"content": content, "finishReason": "STOP"}]}
    return calling("gemini", {"contents": rows}, answer)


TALKS: dict[str, Callable[[int], CapturedCall]] = {
    one.__name__: one for one in (chat, ollama, tools, messages, responses, only_new, gemini)
}


@pytest.mark.parametrize("name", TALKS)
def test_a_conversation_goes_on_in_its_session(tmp_path: Path, name: str) -> None:
    made = TALKS[name]
    straight, restarted = tmp_path / "straight", tmp_path / "restarted"
    kept(straight, *(made(number) for number in range(6)))
    for first, last in ((0, 2), (2, 3), (3, 6)):
        found = kept(restarted, *(made(number) for number in range(first, last)))
        assert [one.recorded.call for one in found] == list(range(first, last))
    one, other = only(straight), only(restarted)
    assert [message.to_dict() for message in other.log] == [m.to_dict() for m in one.log]
    assert [list(revision.view) for revision in other.revisions] == [
        list(revision.view) for revision in one.revisions
    ]
    assert [call.revision for call in other.calls.all] == [call.revision for call in one.calls.all]
    told = [[call.wire["cache"], call.wire["explained"]] for call in one.calls.all if call.wire]
    assert told == [[c.wire["cache"], c.wire["explained"]] for c in other.calls.all if c.wire]


@pytest.mark.parametrize("name", TALKS)
def test_what_was_sent_can_be_written_again_after_a_restart(tmp_path: Path, name: str) -> None:
    made = TALKS[name]
    for number in range(4):
        kept(tmp_path, made(number))
    written: Any = format_named("requests").write(only(tmp_path)).data
    sent = [json.loads(made(number).asked.content) for number in range(4)]
    assert [one["request"] for one in written] == sent


def test_a_name_or_a_session_header_tells_where_it_goes_on(tmp_path: Path) -> None:
    def asked(question: str, **hints: str) -> CapturedCall:
        body = {"messages": [{"role": "user", "content": question}]}
        return calling("chat", body, {"id": "c", "choices": []}, **hints)

    for name, hints in (("tag", {"tag": "mine"}), ("header", {"session_id": "0199-abcd-ef"})):
        folder = tmp_path / name
        kept(folder, asked("one", **hints))
        (found,) = kept(folder, asked("two", **hints))
        assert (found.recorded.call, found.recorded.by) == (1, "name")
        assert len(Library(folder).list()) == 1


def test_conversations_that_are_no_more_than_alike_stay_apart(tmp_path: Path) -> None:
    kept(tmp_path, chat(0))
    kept(tmp_path, chat(0))
    assert len(Library(tmp_path).list()) == 2


def test_a_session_that_a_user_changed_is_left_alone(tmp_path: Path) -> None:
    kept(tmp_path, chat(0), chat(1))
    library = Library(tmp_path)
    (entry,) = library.list()
    with library.open(entry.id) as session:
        session.execute(Append(messages=[{"role": "user", "content": "mine"}]))
    before = (tmp_path / f"{entry.id}.json").read_bytes()
    (found,) = kept(tmp_path, chat(2))
    assert found.session != entry.id
    assert found.recorded.call == 0
    assert (tmp_path / f"{entry.id}.json").read_bytes() == before


def test_a_session_that_is_open_elsewhere_is_left_alone(tmp_path: Path) -> None:
    kept(tmp_path, chat(0), chat(1))
    library = Library(tmp_path)
    (entry,) = library.list()
    with library.open(entry.id):
        (found,) = kept(tmp_path, chat(2))
    assert (found.session != entry.id, found.recorded.call) == (True, 0)


def test_a_session_that_is_opened_between_the_look_and_the_call_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(tmp_path, only_new(0), only_new(1))
    library = Library(tmp_path)
    (entry,) = library.list()
    opened: list[Session] = []
    open_ = Library.open

    def opening(self: Library, id: str, **options: Any) -> Any:
        if not opened and not options.get("read_only"):
            opened.append(open_(library, id))
        return open_(self, id, **options)

    monkeypatch.setattr(Library, "open", opening)
    (found,) = kept(tmp_path, only_new(2))
    opened[0].close()
    assert (found.session != entry.id, found.recorded.call) == (True, 0)
    talk = Library(tmp_path).open(found.session, read_only=True).conversation
    assert len(talk.visible) == 6  # What only an id named is there all the same.


def test_two_conversations_go_on_each_in_its_own_session(tmp_path: Path) -> None:
    kept(tmp_path, chat(0), messages(0), tools(0), chat(1))
    found = kept(tmp_path, tools(1), chat(2), messages(1), messages(2))
    assert [one.recorded.call for one in found] == [1, 2, 1, 2]
    assert len(Library(tmp_path).list()) == 3


@pytest.mark.parametrize("first", [0, 1])
def test_what_is_asked_beside_a_conversation_stays_beside_it_after_restarts(
    tmp_path: Path, first: int
) -> None:
    def failing(number: int) -> CapturedCall:
        made = chat(number)
        made.status = 503
        return made

    kept(tmp_path, chat(0), *(failing(1) for _ in range(first)), chat(1))
    for number in (2, 3):
        found = kept(tmp_path, failing(number), chat(number))
        assert [one.recorded.thread.role for one in found] == ["attempts", "main"]
    library = Library(tmp_path)
    opened = [library.open(entry.id, read_only=True) for entry in library.list()]
    assert sorted(len(one.conversation.calls.all) for one in opened) == [2 + first, 4]
    places = [place for one in opened if (place := one.details.thread) is not None]
    assert len({place.run for place in places}) == 1
    assert len({place.thread for place in places}) == 2
    (main,) = (place for place in places if place.role == "main")
    assert {place.parent for place in places if place.is_side} == {main.thread}
