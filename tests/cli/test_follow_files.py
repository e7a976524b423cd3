"""The session of a growing file: it grows with it, has nothing twice, and is the user's own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ctxtui.core.formats import Source, load
from ctxtui.core.formats.follow_file import HOLD_SECONDS
from ctxtui.core.storage import Library, Session
from ctxtui.files.following import FileFollower, follow_file
from ctxtui.files.sandbox import Unreadable
from tests.core.formats.test_tail import Clock, add, claude, rows
from tests.core.formats.vectors import FOLDER


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "library")


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(rows("one", "two"))
    return path


def following(library: Library, path: Path, clock: Clock | None = None) -> FileFollower:
    follower = follow_file(library, str(path), clock or Clock())
    assert isinstance(follower, FileFollower)
    return follower


def texts(follower: FileFollower) -> list[str]:
    return [message.text for message in follower.session.conversation.visible]


def test_a_session_grows_by_appends_as_its_file_does(library: Library, chat: Path) -> None:
    follower = following(library, chat)
    assert (follower.look(), texts(follower)) == (0, ["one", "two"])
    for text in ("three", "four"):
        add(chat, rows(text))
        assert follower.look() == 1
    assert texts(follower) == ["one", "two", "three", "four"]
    assert [one.operations[0].title for one in follower.session.conversation.journal] == [
        "CREATE",
        "APPEND",
        "APPEND",
    ]
    assert follower.session.title == "chat.jsonl"


def test_following_again_goes_on_in_the_same_session_and_adds_nothing_twice(
    library: Library, chat: Path
) -> None:
    first = following(library, chat)
    first.session.close()
    add(chat, rows("three"))
    again = following(library, chat)
    assert again.session.id == first.session.id
    assert texts(again) == ["one", "two", "three"]
    again.session.close()
    once_more = following(library, chat)
    assert texts(once_more) == ["one", "two", "three"]
    assert (once_more.look(), len(library.list())) == (0, 1)


def test_what_a_user_hides_stays_hidden_while_the_file_grows(library: Library, chat: Path) -> None:
    follower = following(library, chat)
    follower.session.execute({"operation": "TRUNCATE", "keepLast": 1})
    add(chat, rows("three"))
    follower.look()
    assert texts(follower) == ["two", "three"]
    follower.session.close()
    add(chat, rows("four"))
    assert texts(following(library, chat)) == ["two", "three", "four"]


def test_an_empty_file_is_waited_for(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "new.jsonl"
    path.write_bytes(b"")
    follower = following(library, path)
    assert texts(follower) == []
    add(path, rows("one"))
    assert follower.look() == 1
    assert texts(follower) == ["one"]


def test_an_answer_that_goes_on_takes_the_place_of_its_beginning(
    library: Library, tmp_path: Path
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(
        claude("u1", None, "user", "hello") + claude("a1", "u1", "assistant", "first", id="m1")
    )
    follower = following(library, path)
    add(path, claude("a2", "a1", "assistant", "second", id="m1"))
    add(path, claude("u2", "a2", "user", "thanks"))
    follower.look()
    assert texts(follower) == ["hello", "first\nsecond", "thanks"]
    assert [step.title for step in follower.session.conversation.journal[-1].operations] == [
        "REPLACE",
        "APPEND",
    ]


@pytest.mark.parametrize("name", ["claude-code/session.jsonl", "codex/rollout.jsonl"])
@pytest.mark.parametrize("is_reopened", [False, True])
def test_forks_and_compactions_lead_to_what_the_file_shows(
    library: Library, tmp_path: Path, name: str, is_reopened: bool
) -> None:
    path = tmp_path / Path(name).name
    shutil.copy(FOLDER / name, path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:5]))
    clock = Clock()
    follower = following(library, path, clock)
    for line in lines[5:]:
        add(path, line)
        if is_reopened:
            follower.session.close()
            follower = following(library, path, clock)
        else:
            follower.look()
    clock.now += HOLD_SECONDS
    follower.look()
    whole = load(Source.of_path(path)).conversation
    told = [(one.role, one.content) for one in follower.session.conversation.visible]
    assert told == [(one.role, one.content) for one in whole.visible]
    assert follower.session.conversation.check() == []
    done = {step.title for one in follower.session.conversation.journal for step in one.operations}
    assert "COMPRESS" in done
    log = [json.dumps(one.to_dict(), sort_keys=True) for one in follower.session.conversation.log]
    assert len(log) == len(set(log))


def test_a_second_program_follows_the_first_instead_of_the_file(
    library: Library, chat: Path
) -> None:
    first = following(library, chat)
    session = follow_file(Library(library.folder), str(chat))
    assert isinstance(session, Session)
    assert (session.id, session.read_only) == (first.session.id, True)


def test_a_file_that_was_cut_is_told_and_the_session_stays(library: Library, chat: Path) -> None:
    follower = following(library, chat)
    chat.write_bytes(rows("x"))
    assert follower.look() == 0
    assert follower.is_over
    assert "is no longer followed: it was cut short" in (follower.problem or "")
    assert texts(follower) == ["one", "two"]


def test_what_can_not_be_followed_is_refused_with_a_sentence(
    library: Library, tmp_path: Path
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"x": 1}\n{"x": 2}\n')
    with pytest.raises(Unreadable, match="in no known format"):
        follow_file(library, str(path))
    with pytest.raises(Unreadable, match="there is no such file"):
        follow_file(library, str(tmp_path / "none"))
    assert library.list() == []
