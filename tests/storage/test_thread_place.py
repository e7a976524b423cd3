"""Where a session stands in its run is kept, followed, listed, and read with care."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import Refused
from ctxtui.core.storage import Follower, Library, ThreadPlace
from ctxtui.core.storage.details import Details
from tests.storage.samples import append, small

PLACE = ThreadPlace("r1", "agent.py", 3, "agent", 1, "c7", (4, 5))


def test_a_place_is_kept_and_listed(tmp_path: Path) -> None:
    library = Library(tmp_path)
    with library.create(small(), thread=PLACE) as made:
        id = made.id
    assert library.open(id, read_only=True).details.thread == PLACE
    assert [entry.run for entry in library.list()] == ["r1"]
    (tmp_path / "catalog.sqlite").unlink(missing_ok=True)
    assert [entry.run for entry in Library(tmp_path).list()] == ["r1"]


def test_a_place_that_changes_is_followed(tmp_path: Path) -> None:
    library = Library(tmp_path)
    writer = library.create(small(), thread=ThreadPlace("r1", "agent.py", 3))
    follower = Follower(library.open(writer.id, read_only=True))
    writer.place(PLACE)
    writer.execute(append("more"))
    follower.look()
    assert follower.session.details.thread == PLACE
    writer.close()
    follower.look()
    assert follower.session.details.thread == PLACE


def test_a_copy_of_a_session_is_no_thread(tmp_path: Path) -> None:
    library = Library(tmp_path)
    with library.create(small(), thread=PLACE) as made:
        made.sync()
    with library.duplicate(made.id) as copy:
        assert copy.details.thread is None


def test_a_place_goes_through_json() -> None:
    assert ThreadPlace.from_dict(PLACE.to_dict()) == PLACE
    bare = ThreadPlace("r", "p", 0)
    assert bare.to_dict() == {"run": "r", "program": "p", "thread": 0, "role": "main"}
    assert ThreadPlace.from_dict(bare.to_dict()) == bare
    assert (PLACE.is_side, ThreadPlace("r", "p", 0, "counts").is_side) == (False, True)
    assert PLACE.threads == (3, 4, 5)


def test_the_names_that_version_0_1_stored_are_read_and_the_new_ones_are_written() -> None:
    old = {"run": "r", "program": "p", "lane": 2, "role": "asides", "parent": 0}
    place = ThreadPlace("r", "p", 2, "sideCalls", 0)
    assert ThreadPlace.from_dict(old) == place
    new = {"run": "r", "program": "p", "thread": 2, "role": "sideCalls", "parent": 0}
    assert place.to_dict() == new
    details = {"title": "t", "created": 1, "updated": 1}
    read = Details.from_dict({**details, "tags": [], "status": "new", "note": "", "lane": old})
    assert read.thread == place
    assert read.to_dict()["thread"] == new
    assert "lane" not in read.to_dict()
    told = {"id": 2, "name": "side calls", "kind": "chat", "role": "asides", "parent": 0}
    assert ThreadPlace.stated_in({"requests": told}, "r", "p") == place


def test_a_conversation_of_requests_tells_its_own_place() -> None:
    told = {"id": 3, "name": "x", "kind": "chat", "role": "counts", "parent": 1, "call": None}
    place = ThreadPlace.stated_in({"requests": told}, "r", "p")
    assert place == ThreadPlace("r", "p", 3, "counts", 1)
    odd: list[Any] = [{}, {"requests": 5}, {"requests": {"id": "x", "role": "main"}}]
    assert [ThreadPlace.stated_in(meta, "r", "p") for meta in odd] == [None] * 3


@pytest.mark.parametrize(
    "odd",
    [
        {"run": 5},
        {"program": None},
        {"thread": -1},
        {"thread": True},
        {"thread": "0"},
        {"role": "king"},
        {"role": []},
        {"parent": "x"},
        {"call": 5},
        {"also": 5},
        {"also": [1, "x"]},
    ],
)
def test_what_is_no_place_is_refused(odd: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="thread"):
        ThreadPlace.from_dict({**PLACE.to_dict(), **odd})
    nothing: list[object] = [None, 5, [], {}]
    for other in nothing:
        with pytest.raises(Refused):
            ThreadPlace.from_dict(other)
