"""A file of requests that grows: its session is the one that opening the file would give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.formats import Source, load
from ctxtui.core.storage import Library
from ctxtui.files.following import FileFollower, RequestsFollower, follow_file
from ctxtui.files.sessions import open_target
from tests.core.formats.test_tail import Clock, add, rows
from tests.core.requests.traffic import FOLDER, RECORDINGS


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "library")


def lines_of(name: str, *, as_bodies: bool = False) -> list[bytes]:
    lines = (FOLDER / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
    if not as_bodies:
        return lines
    return [json.dumps(json.loads(line)["request"]).encode() + b"\n" for line in lines]


def following(library: Library, path: Path) -> RequestsFollower:
    follower = follow_file(library, str(path), Clock())
    assert isinstance(follower, RequestsFollower)
    return follower


def untimed(operation: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in operation.items() if key != "time"}


def timeline(talk: Conversation) -> list[Any]:
    """Return all that was done and sent, but when it was recorded."""
    calls = [
        (call.revision, call.model, call.parameters, call.wire["explained"], call.answer)
        for call in talk.calls.all
        if call.wire is not None
    ]
    done = [[untimed(one.to_dict()) for one in record.operations] for record in talk.journal]
    views = [list(revision.view) for revision in talk.revisions]
    return [calls, done, views, [message.to_dict() for message in talk.log]]


@pytest.mark.parametrize("name", RECORDINGS)
def test_following_line_by_line_gives_what_opening_the_file_does(
    name: str, library: Library, tmp_path: Path
) -> None:
    path, lines = tmp_path / "growing.jsonl", lines_of(name)
    path.write_bytes(lines[0])
    follower = following(library, path)
    for line in lines[1:]:
        add(path, line)
        follower.look()
    assert follower.problem is None
    assert timeline(follower.session.conversation) == timeline(
        load(Source.of_path(path)).conversation
    )


@pytest.mark.parametrize("size", [700, 20_000])
@pytest.mark.parametrize("name", ["lc_trim", "lc_summarize"])
def test_bodies_that_come_in_pieces_give_the_same(
    name: str, size: int, library: Library, tmp_path: Path
) -> None:
    path, lines = tmp_path / "growing.jsonl", lines_of(name, as_bodies=True)
    path.write_bytes(b"".join(lines[:3]))
    follower = following(library, path)
    rest = b"".join(lines[3:])
    for start in range(0, len(rest), size):
        add(path, rest[start : start + size])
        follower.look()
    talk = follower.session.conversation
    assert len(talk.calls.all) > 3
    assert timeline(talk) == timeline(load(Source.of_path(path)).conversation)


def test_following_again_goes_on_in_the_same_session(library: Library, tmp_path: Path) -> None:
    path, lines = tmp_path / "growing.jsonl", lines_of("lc_trim")
    path.write_bytes(b"".join(lines[:3]))
    opened = open_target(library, str(path))
    opened.close()
    for stop in (5, 8, 11):
        path.write_bytes(b"".join(lines[:stop]))
        follower = following(library, path)
        assert follower.session.id == opened.id
        follower.session.close()
    add(path, b"".join(lines[11:]))
    follower = following(library, path)
    assert timeline(follower.session.conversation) == timeline(
        load(Source.of_path(path)).conversation
    )
    follower.session.close()
    with library.open(opened.id) as again:
        assert timeline(again.conversation) == timeline(follower.session.conversation)


def test_what_came_meanwhile_is_saved_when_the_file_is_followed_again(
    library: Library, tmp_path: Path
) -> None:
    path, lines = tmp_path / "growing.jsonl", lines_of("lc_trim")
    path.write_bytes(b"".join(lines[:3]))
    following(library, path).session.close()
    add(path, b"".join(lines[3:8]))
    follower = following(library, path)
    assert follower.session.is_saved
    with library.open(follower.session.id, read_only=True) as seen:
        assert timeline(seen.conversation) == timeline(follower.session.conversation)


def test_what_a_user_changed_stays_and_following_ends_with_a_sentence(
    library: Library, tmp_path: Path
) -> None:
    path, lines = tmp_path / "growing.jsonl", lines_of("lc_trim")
    path.write_bytes(b"".join(lines[:3]))
    follower = following(library, path)
    follower.session.execute({"operation": "TRUNCATE", "keepLast": 1})
    changed = timeline(follower.session.conversation)
    add(path, lines[3])
    assert follower.look() == 0
    assert timeline(follower.session.conversation) == changed
    assert follower.is_over
    assert follower.problem == (
        f"{path} is no longer followed: it holds requests, and its session was changed here; "
        "follow it again for a new one"
    )
    follower.session.close()
    again = following(library, path)
    assert again.session.id != follower.session.id
    assert timeline(again.session.conversation) == timeline(load(Source.of_path(path)).conversation)
    with library.open(follower.session.id) as kept:
        assert timeline(kept.conversation) == changed


def test_what_was_undone_is_no_change(library: Library, tmp_path: Path) -> None:
    path, lines = tmp_path / "growing.jsonl", lines_of("lc_trim")
    path.write_bytes(b"".join(lines[:3]))
    follower = following(library, path)
    follower.session.execute({"operation": "TRUNCATE", "keepLast": 1})
    follower.session.conversation.undo()
    add(path, b"".join(lines[3:]))
    assert follower.look() > 0
    whole = load(Source.of_path(path)).conversation
    assert list(follower.session.conversation.visible) == list(whole.visible)


def test_a_line_that_is_no_request_is_left_out_and_told(library: Library, tmp_path: Path) -> None:
    path, lines = tmp_path / "growing.jsonl", lines_of("lc_trim")
    path.write_bytes(b"".join(lines[:3]))
    follower = following(library, path)
    add(path, b'{"request": {"model": "m"}}\n' + lines[3])
    follower.look()
    assert len(follower.session.conversation.calls.all) == 4
    assert follower.problem is not None
    assert "a request was left out: there are no messages in it" in follower.problem
    assert not follower.is_over


def test_lines_that_turn_out_to_be_requests_end_following(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "growing.jsonl"
    path.write_bytes(b"")
    follower = follow_file(library, str(path), Clock())
    assert isinstance(follower, FileFollower)
    add(path, b"".join(lines_of("lc_trim")[:3]))
    assert follower.look() == 0
    assert follower.is_over
    assert "its lines turned out to be requests; follow it again" in str(follower.problem)
    follower.session.close()
    assert len(following(library, path).session.conversation.calls.all) == 3


def test_a_chat_is_followed_as_ever(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(rows("one"))
    follower = follow_file(library, str(path), Clock())
    assert isinstance(follower, FileFollower)
    assert not isinstance(follower, RequestsFollower)
