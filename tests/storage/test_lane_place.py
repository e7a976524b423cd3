"""Where a session stands in its run is kept, followed, listed, and read with care."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import Refused
from ctxtui.core.storage import Follower, LanePlace, Library
from tests.storage.samples import append, small

PLACE = LanePlace("r1", "agent.py", 3, "agent", 1, "c7", (4, 5))


def test_a_place_is_kept_and_listed(tmp_path: Path) -> None:
    library = Library(tmp_path)
    with library.create(small(), lane=PLACE) as made:
        id = made.id
    assert library.open(id, read_only=True).details.lane == PLACE
    assert [entry.run for entry in library.list()] == ["r1"]
    (tmp_path / "index.json").unlink(missing_ok=True)
    assert [entry.run for entry in Library(tmp_path).list()] == ["r1"]


def test_a_place_that_changes_is_followed(tmp_path: Path) -> None:
    library = Library(tmp_path)
    writer = library.create(small(), lane=LanePlace("r1", "agent.py", 3))
    follower = Follower(library.open(writer.id, read_only=True))
    writer.place(PLACE)
    writer.execute(append("more"))
    follower.look()
    assert follower.session.details.lane == PLACE
    writer.close()
    follower.look()
    assert follower.session.details.lane == PLACE


def test_a_copy_of_a_session_is_no_lane(tmp_path: Path) -> None:
    library = Library(tmp_path)
    with library.create(small(), lane=PLACE) as made:
        made.sync()
    with library.duplicate(made.id) as copy:
        assert copy.details.lane is None


def test_a_place_goes_through_json() -> None:
    assert LanePlace.from_dict(PLACE.to_dict()) == PLACE
    bare = LanePlace("r", "p", 0)
    assert bare.to_dict() == {"run": "r", "program": "p", "lane": 0, "role": "main"}
    assert LanePlace.from_dict(bare.to_dict()) == bare
    assert (PLACE.is_side, LanePlace("r", "p", 0, "counts").is_side) == (False, True)
    assert PLACE.lanes == (3, 4, 5)


def test_a_conversation_of_requests_tells_its_own_place() -> None:
    told = {"id": 3, "name": "x", "kind": "chat", "role": "counts", "parent": 1, "call": None}
    place = LanePlace.told_in({"requests": told}, "r", "p")
    assert place == LanePlace("r", "p", 3, "counts", 1)
    odd: list[Any] = [{}, {"requests": 5}, {"requests": {"id": "x", "role": "main"}}]
    assert [LanePlace.told_in(meta, "r", "p") for meta in odd] == [None] * 3


@pytest.mark.parametrize(
    "odd",
    [
        {"run": 5},
        {"program": None},
        {"lane": -1},
        {"lane": True},
        {"lane": "0"},
        {"role": "king"},
        {"role": []},
        {"parent": "x"},
        {"call": 5},
        {"also": 5},
        {"also": [1, "x"]},
    ],
)
def test_what_is_no_place_is_refused(odd: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="lane"):
        LanePlace.from_dict({**PLACE.to_dict(), **odd})
    nothing: list[object] = [None, 5, [], {}]
    for other in nothing:
        with pytest.raises(Refused):
            LanePlace.from_dict(other)
