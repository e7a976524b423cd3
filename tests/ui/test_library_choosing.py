"""Choosing in the library: selecting many, filtering, sorting, searching, samples and trash."""

from __future__ import annotations

import pytest

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.core.storage import Library, MemoryLibrary, Session, StorageError
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.library.screen import LibraryScreen
from ctxtui.widgets.line_list import LineList
from ctxtui.widgets.prompt import Prompt
from tests.ui.opening import painted, refusal
from tests.ui.test_library import answer, filled, shown, told
from tests.ui.test_library_order import here, order, press, statuses


def screen_of(app: CtxtuiApp) -> LibraryScreen:
    assert isinstance(app.screen, LibraryScreen)
    return app.screen


def drawn(app: CtxtuiApp) -> list[str]:
    """Return the lines of the list."""
    listed = app.screen.query_one("#sessions", LineList)
    return [listed.render_line(y).text for y in range(listed.size.height)]


def talks(**said: str) -> MemoryLibrary:
    """Return a library of sessions, the first the newest, each with a question and an answer."""
    times = iter(range(1, 1_000_000, 1_000))
    library = MemoryLibrary(clock=lambda: next(times))
    for title, text in reversed(said.items()):
        messages = [{"role": "user", "content": text}, {"role": "assistant", "content": "Yes."}]
        with library.create(Conversation(messages, clock=lambda: 1), title=title):
            pass
    return library


# Selecting


async def test_what_is_done_is_done_to_all_that_are_selected_and_taken_back_as_one() -> None:
    library = filled("a", "b", "c", "d")
    async with shown(library) as (pilot, app):
        await press(pilot, "space", "j", "space")
        assert len(screen_of(app).chosen) == 2
        assert "verdict for the 2" in painted(app.screen)
        assert "2 selected" in painted(app.screen)
        await press(pilot, "minus")
        assert statuses(library) == {"a": "rejected", "b": "new", "c": "rejected", "d": "new"}
        assert not screen_of(app).selection
        assert here(app) == "d"
        await press(pilot, "u")
        assert set(statuses(library).values()) == {"new"}
        assert here(app) == "a"


async def test_a_range_and_all_that_are_shown_can_be_selected() -> None:
    async with shown(filled("a", "b", "c", "d")) as (pilot, app):
        await press(pilot, "j", "v", "j", "j", "v")
        assert [one.title for one in screen_of(app).chosen] == ["b", "c", "d"]
        await press(pilot, "escape")
        assert [one.title for one in screen_of(app).chosen] == ["d"]
        await press(pilot, "asterisk")
        assert len(screen_of(app).chosen) == 4
        await press(pilot, "ctrl+a")
        assert len(screen_of(app).chosen) == 1


async def test_a_range_under_way_is_what_an_action_is_for() -> None:
    library = filled("a", "b", "c", "d", "e")
    async with shown(library) as (pilot, app):
        await press(pilot, "v", "j", "j")
        assert screen_of(app).listed.range_from is not None
        assert "3 selected" in painted(app.screen)
        await press(pilot, "plus")
        assert statuses(library) == dict.fromkeys("abc", "accepted") | dict.fromkeys("de", "new")
        assert here(app) == "d"
        assert screen_of(app).listed.range_from is None
        await press(pilot, "v", "j", "t")
        await answer(pilot, "good")
        await press(pilot, "g")
        assert {one.title for one in library.list() if one.tags} == {"d", "e"}
        assert [one.title for one in screen_of(app).chosen] == ["d", "e"]
        await press(pilot, "d")
        assert order(app) == ["a", "b", "c"]


async def test_tags_notes_copies_and_deletes_are_for_the_selection() -> None:
    library = filled("a", "b", "c")
    async with shown(library) as (pilot, app):
        await press(pilot, "t")
        await answer(pilot, "old")
        await press(pilot, "space", "space", "t")
        await answer(pilot, "good, -old")
        known = {entry.title: entry for entry in library.list()}
        assert (known["a"].tags, known["b"].tags, known["c"].tags) == (("good",), ("good",), ())
        await press(pilot, "semicolon")
        await answer(pilot, "look twice")
        assert [entry.note for entry in screen_of(app).entries] == ["look twice"] * 2 + [""]
        await press(pilot, "u", "u")
        known = {entry.title: entry for entry in library.list()}
        assert (known["a"].tags, known["b"].tags) == (("old",), ())
        assert {entry.note for entry in known.values()} == {""}
        await press(pilot, "D")
        assert order(app) == ["a (copy)", "b (copy)", "a", "b", "c"]
        await press(pilot, "asterisk", "d")
        assert (order(app), len(library.list())) == ([], 0)
        await press(pilot, "u")
        assert len(library.list()) == 5


async def test_u_takes_copies_away_before_an_older_verdict() -> None:
    library = filled("a", "b")
    async with shown(library) as (pilot, app):
        await press(pilot, "plus", "D")
        assert len(order(app)) == 3
        assert "1 new session is in the trash" not in told(pilot)
        await press(pilot, "u")
        assert "1 new session is in the trash" in told(pilot)
        assert order(app) == ["a", "b"]
        assert len(library.trash.ids()) == 1
        assert statuses(library) == {"a": "accepted", "b": "new"}
        await press(pilot, "u")
        assert statuses(library) == {"a": "new", "b": "new"}


async def test_copies_that_are_gone_already_do_not_stand_in_the_way_of_u() -> None:
    library = filled("a", "b")
    async with shown(library) as (pilot, app):
        await press(pilot, "plus", "D")
        library.delete(screen_of(app).library_state.steps[-1].ids[0])
        await press(pilot, "u", "u")
        assert statuses(library) == {"a": "new", "b": "new"}


async def test_where_one_of_several_can_not_be_copied_the_others_are() -> None:
    library = filled("a", "b", "c")
    real, bad = library.duplicate, library.find("b")

    def duplicate(id: str) -> Session:
        if id == bad:
            raise StorageError("the disk is full", field="session")
        return real(id)

    library.duplicate = duplicate  # type: ignore[method-assign]
    async with shown(library) as (pilot, app):
        await press(pilot, "asterisk", "D")
        assert "the disk is full" in told(pilot)
        assert len(order(app)) == 5
        await press(pilot, "u")
        assert order(app) == ["a", "b", "c"]


async def test_where_one_of_several_can_not_be_changed_the_others_are_and_it_is_told() -> None:
    library = filled("a", "b", "c")
    holder = library.open(next(one.id for one in library.list() if one.title == "b"))
    async with shown(library) as (pilot, _):
        await press(pilot, "asterisk", "plus")
        assert "2 of 3 were changed" in told(pilot)
        holder.close()
        assert statuses(library) == {"a": "accepted", "b": "new", "c": "accepted"}
        await press(pilot, "u")
        assert set(statuses(library).values()) == {"new"}


# Filtering and sorting


async def test_purged_sessions_leave_their_places_to_the_new_ones() -> None:
    library = filled("a", "b", "c", "d")
    old = {entry.id for entry in library.list()}
    async with shown(library) as (pilot, app):
        await press(pilot, "j", "v", "j", "Q")
        await answer(pilot, "purge")
        assert order(app) == ["a", "b", "c", "d"]
        assert here(app) == "c"
        assert len({one.id for one in screen_of(app).entries} - old) == 2
        await press(pilot, "asterisk", "Q")
        await answer(pilot, "squash")
        assert [one.removesuffix(" (squashed)") for one in order(app)] == [*"abcd", *"abcd"]
        assert here(app) == "c"


async def test_a_filter_that_hides_the_session_under_the_cursor_begins_at_the_top() -> None:
    library = filled("ab", "b", "bc", "d", "e")
    async with shown(library) as (pilot, app):
        await press(pilot, "G", "ampersand")
        await answer(pilot, "title:b")
        assert (order(app), here(app)) == (["ab", "b", "bc"], "ab")
        assert screen_of(app).library_state.here == library.find("ab")
        await press(pilot, "G", "ampersand")
        await answer(pilot, "title:c")
        assert here(app) == "bc"
        await press(pilot, "ampersand")
        await answer(pilot, "")
        assert here(app) == "bc"


async def test_a_filter_speaks_the_language_of_where() -> None:
    library = filled("a", "b", "c")
    async with shown(library) as (pilot, app):
        await press(pilot, "plus", "ampersand")
        await answer(pilot, "status:new")
        assert order(app) == ["b", "c"]
        assert "& status:new   2 of 3 sessions" in painted(app.screen)
        await press(pilot, "plus")
        assert order(app) == ["b", "c"]
        assert "1 of 2 reviewed" in painted(app.screen)
        await press(pilot, "ampersand")
        await answer(pilot, "colour:red")
        assert "colour" in refusal(app.screen)
        assert order(app) == ["b", "c"]
        await press(pilot, "escape", "escape")
        assert order(app) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("moves", "expected"),
    [(0, ["c", "b", "a"]), (2, ["a", "b", "c"]), (4, ["c", "a", "b"]), (7, ["c", "a", "b"])],
    ids=["imported, turned round", "title", "messages", "tokens"],
)
async def test_any_column_sorts_and_the_border_says_which(moves: int, expected: list[str]) -> None:
    library = filled("a", "b", "c")
    for title, count in (("c", 9), ("a", 4)):
        entry = next(one for one in library.list() if one.title == title)
        with library.open(entry.id) as session:
            more = [{"role": "user", "content": "more words"}] * count
            session.execute({"operation": "APPEND", "messages": more})
    async with shown(library) as (pilot, app):
        assert order(app) == ["a", "b", "c"]
        await press(pilot, "j", "s", *["j"] * moves, "enter")
        assert (order(app), here(app)) == (expected, "b")
        column = ["imported", "", "title", "", "messages", "", "", "tokens"][moves]
        assert f"{column} {'▾' if moves else '▴'}" in painted(app.screen)


# Finding


async def test_a_search_shows_where_words_stand_and_opens_the_session_there() -> None:
    library = talks(a="Where is my kettle?", b="Nothing here.", c="A KETTLE and a cup")
    async with shown(library) as (pilot, app):
        await press(pilot, "slash")
        await answer(pilot, "kettle")
        found = [line for line in drawn(app) if "kettle" in line.casefold()]
        assert len(found) == 2
        assert "Where is my kettle?" in found[0]
        await press(pilot, "n")
        assert here(app) == "c"
        await press(pilot, "n")
        assert here(app) == "a"
        await press(pilot, "N", "enter")
        screen = app.screen
        assert isinstance(screen, InspectorScreen)
        assert (screen.session.title, screen.explorer.raw) == ("c", 0)
        assert len(screen.explorer.searching.found) == 1
        await press(pilot, "O", "escape")
        assert order(app) == ["a", "b", "c"]
        await press(pilot, "slash")
        await answer(pilot, "no such words [/b]")
        assert "Nothing was found." in painted(app.screen)


async def test_a_verdict_among_what_was_found_is_for_its_session() -> None:
    library = talks(a="kettle one", b="kettle two")
    async with shown(library) as (pilot, app):
        await press(pilot, "slash")
        await answer(pilot, "kettle")
        await press(pilot, "plus", "minus")
        assert statuses(library) == {"a": "accepted", "b": "rejected"}
        assert screen_of(app).panes.mode == "hits"


# Samples and the trash


async def test_the_samples_are_always_there() -> None:
    library = filled("a")
    async with shown(library) as (pilot, app):
        await press(pilot, "6")
        assert "fix-flaky-upload" in "\n".join(drawn(app))
        await press(pilot, "escape")
        assert order(app) == ["a"]
        await press(pilot, "6", "enter")
        assert isinstance(app.screen, InspectorScreen)
        await press(pilot, "O")
        assert order(app) == ["fix-flaky-upload", "a"]
        assert here(app) == "fix-flaky-upload"


async def test_what_is_in_the_trash_can_be_seen_and_put_back() -> None:
    library = filled("a", "b")
    async with shown(library) as (pilot, app):
        await press(pilot, "d", "9")
        assert any(" a " in line for line in drawn(app))
        await press(pilot, "enter", "plus", "d")
        assert "puts it back" in told(pilot)
        await press(pilot, "p")
        assert "The trash is empty." in painted(app.screen)
        await press(pilot, "9")
        assert order(app) == ["a", "b"]
        assert statuses(library) == {"a": "new", "b": "new"}


async def test_prompts_about_sessions_do_not_open_where_there_is_none() -> None:
    async with shown(MemoryLibrary()) as (pilot, app):
        for key in ("t", "semicolon", "r"):
            await press(pilot, key)
            assert not app.screen.query_one(Prompt).is_open


async def test_a_library_that_others_fill_shows_its_first_sessions_at_once() -> None:
    library = MemoryLibrary()
    async with shown(library) as (pilot, app):
        assert app.screen.has_class("-first-run")
        with Library("memory", disk=library.disk).create(Conversation(), title="theirs"):
            pass
        await press(pilot, "escape")
        assert order(app) == ["theirs"]
