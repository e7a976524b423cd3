"""Squashing many sessions in the library: how far it is, and what keys do meanwhile."""

from __future__ import annotations

from threading import Event

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from ctxtui.core.curation.purging import Purging, Squashed
from tests.ui.opening import painted
from tests.ui.test_library import filled, shown, told, wait
from tests.ui.test_library_choosing import screen_of
from tests.ui.test_library_order import here, order, press, statuses

TITLES = ("a", "b", "c", "d", "e")


class OutputFilter:
    """Holds purging up before one of the sessions, until it may go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, before: int) -> None:
        self.is_open = Event()
        self._left = before
        squash = Purging.squash

        def held(purging: Purging, id: str) -> Squashed:
            if not self._left:
                self.is_open.wait()
            self._left -= 1
            return squash(purging, id)

        monkeypatch.setattr(Purging, "squash", held)


async def purge_all(pilot: Pilot[str]) -> None:
    """Select all, ask to purge them, and wait until that has come to the gate."""
    await press(pilot, "asterisk", "Q")
    pilot.app.screen.query_one("#ask", Input).value = "purge"
    await pilot.press("enter")


@pytest.mark.parametrize("size", [(80, 24), (140, 42)])
async def test_purging_many_counts_in_the_head_and_rows_stay_where_they_are(
    monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    gate = OutputFilter(monkeypatch, before=2)
    async with shown(filled(*TITLES), size=size) as (pilot, app):
        await purge_all(pilot)
        while "purging 2 of 5" not in painted(app.screen):
            await pilot.pause(0.01)
        screen_of(app).learning._stamp = 1  # As if others had changed the folder.
        screen_of(app).learning.look()
        await pilot.pause()
        assert order(app) == list(TITLES)
        gate.is_open.set()
        await wait(pilot)
        assert "purging" not in painted(app.screen)
        assert order(app) == list(TITLES)
        assert "Purged 5 sessions" in told(pilot)


async def test_a_key_during_a_purge_is_for_the_list_as_it_is_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate = OutputFilter(monkeypatch, before=1)
    library = filled(*TITLES)
    async with shown(library) as (pilot, app):
        await purge_all(pilot)
        while "purging 1 of 5" not in painted(app.screen):
            await pilot.pause(0.01)
        await pilot.press("minus")
        assert here(app) == "a"
        gate.is_open.set()
        await wait(pilot)
        assert statuses(library)["a"] == "rejected"
        assert " not " not in told(pilot)


async def test_what_can_not_be_purged_is_told_and_the_others_are_purged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    library = filled(*TITLES)
    busy = library.open(library.find("c"))
    gate = OutputFilter(monkeypatch, before=9)
    gate.is_open.set()
    async with shown(library) as (pilot, app):
        await purge_all(pilot)
        await wait(pilot)
        assert "Purged 4 sessions" in told(pilot)
        assert order(app) == list(TITLES)
    busy.close()
