"""A file that grows is read on: in whatever pieces it came, it says the same when it is whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxtui.core import Message
from ctxtui.core.formats import Source, load
from ctxtui.core.formats.follow_file import HOLD_SECONDS, FileGrowth, LineFollower
from tests.core.formats.vectors import FOLDER
from tests.profiles import examples

FILES = (
    "openai/messages.jsonl",
    "claude-code/session.jsonl",
    "claude-code/flat.jsonl",
    "codex/rollout.jsonl",
)


class Clock:
    """A clock that only a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Reader:
    """What somebody who takes all growth has in the end."""

    def __init__(self, path: Path) -> None:
        self.clock = Clock()
        self.tail = LineFollower(path, clock=self.clock)
        self.said: list[Message] = []

    def look(self, seconds: float = HOLD_SECONDS) -> FileGrowth | None:
        self.clock.now += seconds
        growth = self.tail.look()
        if growth is not None:
            self.said[growth.kept :] = growth.messages
        return growth


def rows(*texts: str, role: str = "user") -> bytes:
    return b"".join(json.dumps({"role": role, "content": one}).encode() + b"\n" for one in texts)


def add(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


@pytest.mark.parametrize("name", FILES)
@settings(examples(0.5), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_in_whatever_pieces_a_file_comes_it_says_the_same(
    name: str, tmp_path: Path, data: st.DataObject
) -> None:
    content = (FOLDER / name).read_bytes()
    cuts = data.draw(st.lists(st.integers(0, len(content)), max_size=8).map(sorted))
    path = tmp_path / "growing.jsonl"
    path.write_bytes(b"")
    reader = Reader(path)
    for start, stop in zip([0, *cuts], [*cuts, len(content)], strict=True):
        add(path, content[start:stop])
        reader.look(data.draw(st.sampled_from([0.0, HOLD_SECONDS])))
    reader.look()
    reader.look()
    whole = load(Source.of_bytes(content)).conversation
    assert reader.said == list(whole.visible)
    assert not reader.tail.is_over


def test_only_what_is_new_is_read_where_a_line_is_a_message(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(rows("one"))
    reader = Reader(path)
    assert reader.look() is not None
    first = reader.tail.loaded
    add(path, rows("two"))
    assert reader.look() == FileGrowth(1, (Message("user", "two"),))
    assert reader.tail.loaded is first
    assert reader.look() is None


def test_a_line_that_is_not_finished_is_waited_for(tmp_path: Path) -> None:
    path, line = tmp_path / "chat.jsonl", rows("two")
    path.write_bytes(rows("one"))
    reader = Reader(path)
    reader.look()
    for piece in (line[:5], line[5:-1]):
        add(path, piece)
        assert reader.look() is None
    add(path, line[-1:])
    assert reader.look() == FileGrowth(1, (Message("user", "two"),))


def test_a_result_without_an_id_is_read_with_the_lines_before_it(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    call = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    answer = {"role": "function", "name": "f", "content": "42"}
    path.write_bytes(rows("one"))
    reader = Reader(path)
    reader.look()
    add(path, json.dumps(call).encode() + b"\n")
    reader.look()
    add(path, json.dumps(answer).encode() + b"\n")
    reader.look()
    reader.look()
    assert reader.said == list(load(Source.of_path(path)).conversation.visible)


def claude(uuid: str, parent: str | None, role: str, text: str, **more: Any) -> bytes:
    message = {"role": role, "content": [{"type": "text", "text": text}], **more}
    line = {"type": role, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message}
    return json.dumps(line).encode() + b"\n"


def test_an_answer_in_several_lines_is_held_back_until_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(claude("u1", None, "user", "hello"))
    reader = Reader(path)
    reader.look()
    add(path, claude("a1", "u1", "assistant", "first", id="m1"))
    assert reader.look(0.1) is None
    add(path, claude("a2", "a1", "assistant", "second", id="m1"))
    assert reader.look(0.1) is None
    growth = reader.look()
    assert growth is not None
    assert (growth.kept, [one.text for one in growth.messages]) == (1, ["first\nsecond"])
    add(path, claude("a3", "a2", "assistant", "third", id="m1"))
    reader.look()
    growth = reader.look()
    assert growth is not None
    assert (growth.kept, [one.text for one in growth.messages]) == (1, ["first\nsecond\nthird"])


def test_a_whole_file_is_not_read_again_at_once(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(claude("u1", None, "user", "hello"))

    class Slow(Clock):
        """A clock on which everything takes a while."""

        def __call__(self) -> float:
            self.now += 1
            return self.now

    clock = Slow()
    tail = LineFollower(path, clock=clock)
    assert tail.look() is not None
    read_first = tail.loaded
    add(path, claude("u2", "u1", "user", "again"))
    assert tail.look() is None
    assert tail.loaded is read_first
    clock.now += 100
    growth = tail.look()
    assert growth is not None
    assert [one.text for one in growth.messages] == ["again"]


@pytest.mark.parametrize("how", ["cut short", "another file", "no longer there"])
def test_a_file_that_is_not_what_it_was_ends_it_in_one_sentence(tmp_path: Path, how: str) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(rows("one", "two"))
    reader = Reader(path)
    reader.look()
    if how == "cut short":
        path.write_bytes(rows("one"))
    elif how == "another file":
        other = tmp_path / "other"
        other.write_bytes(rows("one", "two", "three"))
        other.replace(path)
    else:
        with path.open("r+b") as file:
            file.write(rows("ONE", "two", "three"))
    assert reader.look() is None
    assert reader.tail.is_over
    assert how in (reader.tail.problem or "")
    assert [one.text for one in reader.said] == ["one", "two"]
    add(path, rows("four"))
    assert reader.look() is None


def test_a_file_that_is_gone_is_told_and_read_on_when_it_is_back(tmp_path: Path) -> None:
    path, away = tmp_path / "chat.jsonl", tmp_path / "away"
    path.write_bytes(rows("one"))
    reader = Reader(path)
    reader.look()
    path.rename(away)
    assert reader.look() is None
    assert "is gone" in (reader.tail.problem or "")
    away.rename(path)
    add(path, rows("two"))
    assert reader.look() is not None
    assert reader.tail.problem is None


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'{"messages": [{"role": "user", "content": "x"}]}\n', "a conversation in each line"),
        (b"\x1f\x8bxx\n", "only plain text in UTF-8"),
    ],
)
def test_what_can_not_be_followed_is_told(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    reader = Reader(path)
    assert reader.look() is None
    assert reader.tail.is_over
    assert why in (reader.tail.problem or "")


def test_an_unknown_file_is_told_and_may_become_a_known_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b'{"x": 1}\n')
    reader = Reader(path)
    assert reader.look() is None
    assert "in no known format" in (reader.tail.problem or "")
    add(path, rows("one", "two"))
    assert reader.look() is not None
    assert [one.text for one in reader.said] == ["one", "two"]
