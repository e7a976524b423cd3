"""Merging and splitting sessions: all of it or nothing, with a way back."""

from __future__ import annotations

import pytest

from ctxtui.core.storage import Library, MemoryLibrary, StorageError, ThreadPlace
from ctxtui.watch.models import ENDED_AT_ONCE, LAST_RUNS, Watching, merge, split
from tests.ui.recorded_threads import Talk, Writer, run_with_agents


def places(library: Library) -> dict[str, ThreadPlace]:
    opened = [library.open(entry.id, read_only=True) for entry in library.list()]
    return {one.title: one.details.thread for one in opened if one.details.thread is not None}


def two(library: Library) -> tuple[str, str]:
    """Return the ids of two threads with four calls each."""
    writer = Writer(library)
    talks = [Talk(writer, f"Do {name}.", tag=name) for name in ("one", "two")]
    for talk in (*talks, *talks):
        talk.go_on(2)
    writer.close()
    return writer.sessions[0].id, writer.sessions[1].id


def test_who_stood_beside_what_was_merged_stands_beside_what_it_became() -> None:
    library = MemoryLibrary()
    run_with_agents(library).close()
    merge(library, library.find("triage"), [library.find("coder")])
    found = places(library)
    assert (found["triage"].thread, found["triage"].also) == (4, (0,))
    assert found["token counts"].parent in found["triage"].threads


def test_a_thread_that_takes_in_its_own_caller_is_a_conversation() -> None:
    library = MemoryLibrary()
    run_with_agents(library).close()
    agent = next(title for title in places(library) if title.startswith("Find"))
    merge(library, library.find(agent), [library.find("coder")])
    assert places(library)[agent]._replace(run="", program="") == ThreadPlace(
        "", "", 1, "main", also=(0,)
    )


def test_tags_verdict_and_note_stay() -> None:
    library = MemoryLibrary()
    one, other = two(library)
    with library.open(one) as session:
        session.describe(tags=["kept"], status="accepted", note="good")
    merge(library, one, [other])
    (entry,) = library.list()
    assert (entry.tags, entry.status, entry.note) == (("kept",), "accepted", "good")


def test_taking_back_leaves_what_there_was() -> None:
    library = MemoryLibrary()
    one, other = two(library)
    before = library.list()
    for mended in (merge(library, one, [other]), None):
        (mended or split(library, one, 3)).take_back()
        assert sorted(library.list()) == sorted(before)
    assert len(library.trash.ids()) == 3


@pytest.mark.parametrize("problem", [StorageError("the disk is gone"), OSError("the disk is gone")])
def test_a_merge_that_fails_half_way_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, problem: Exception
) -> None:
    library = MemoryLibrary()
    one, other = two(library)
    before, whole = library.list(), library.delete

    def failing(id: str, *, wait: float = 0.0) -> None:
        if id == other:
            raise problem
        whole(id, wait=wait)

    monkeypatch.setattr(library, "delete", failing)
    with pytest.raises(type(problem), match="the disk is gone"):
        merge(library, one, [other])
    assert sorted(library.list()) == sorted(before)
    assert library.trash.ids() == []


def test_taking_back_what_somebody_has_open_changes_nothing() -> None:
    library = MemoryLibrary()
    one, other = two(library)
    mended = merge(library, one, [other])
    with library.open(mended.made[0].id), pytest.raises(StorageError, match="is open in"):
        mended.take_back()
    assert [entry.id for entry in library.list()] == [mended.made[0].id]


def test_only_the_last_runs_are_shown_and_some_sessions_at_a_time() -> None:
    times = iter(range(1_000, 10_000_000, 1_000))
    library = MemoryLibrary(clock=lambda: next(times))
    for number in range(LAST_RUNS + 2):
        writer = Writer(library, f"{number}.py", f"run{number}")
        for name in ("a", "b", "c", "d"):
            Talk(writer, f"{name} {number}", tag=f"{name}{number}").go_on(1)
        writer.close()
    watching = Watching(library)
    watching.read()
    filling = [watching.is_filling]
    watching.take()
    assert len(watching.threads) == ENDED_AT_ONCE
    watching.read()
    watching.take()
    assert [*filling, watching.is_filling] == [True, False]
    assert {thread.place.program for thread in watching.threads if thread.place} == {
        "2.py",
        "3.py",
        "4.py",
    }
