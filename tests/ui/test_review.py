"""Reviewing: one key for each conversation, and every verdict lands where it was meant."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.core.storage import Library
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.library.screen import LibraryScreen
from ctxtui.text.icons import NOTED
from ctxtui.widgets.line_list import LineList
from tests.docs.pages import page
from tests.storage.samples import append
from tests.ui.opening import painted
from tests.ui.test_bursts import burst
from tests.ui.test_library import answer, filled, shown, told, wait
from tests.ui.test_library_order import here, order, press, statuses

KEYS = {"plus": "accepted", "minus": "rejected", "exclamation_mark": "needs work"}
MANY, SOME = 100, 20
MORE = {"role": "user", "content": "more"}
MOST_LOOKS = 50
"""Looks after which what another program wrote must have been seen."""


def verdicts(count: int) -> list[str]:
    """Return as many keys, each a verdict."""
    return Random(16).choices(list(KEYS), k=count)


def judged(app: CtxtuiApp) -> list[str]:
    """Return the statuses as the library shows them."""
    screen = next(one for one in app.screen_stack if isinstance(one, LibraryScreen))
    return [entry.status for entry in screen.entries]


def open_title(app: CtxtuiApp) -> str:
    """Return the title of the session that is open."""
    assert isinstance(app.screen, InspectorScreen)
    return app.screen.session.title


def on_disk(folder: Path, *titles: str) -> Library:
    """Return a library in a folder, the first title the newest."""
    times = iter(range(1, 1_000_000, 1_000))
    library = Library(folder, clock=lambda: next(times))
    for title in reversed(titles):
        with library.create(Conversation([{"role": "user", "content": title}]), title=title):
            pass
    return library


# In the library


async def test_a_hundred_keys_judge_a_hundred_sessions() -> None:
    names = [f"s{number:03}" for number in range(MANY)]
    library, keys = filled(*names), verdicts(MANY)
    async with shown(library) as (pilot, app):
        assert order(app) == names
        await burst(pilot, *keys)
        given = [KEYS[key] for key in keys]
        assert [statuses(library)[name] for name in names] == given
        assert judged(app) == given
        assert order(app) == names
        counted = Counter(given)
        assert "100 of 100 reviewed" in painted(app.screen)
        assert f"✓ {counted['accepted']} accepted" in painted(app.screen)
        assert "All 100 are reviewed." in told(pilot)


async def test_a_verdict_skips_what_is_reviewed_and_begins_again_at_the_top() -> None:
    library = filled("a", "b", "c", "d")
    async with shown(library) as (pilot, app):
        await press(pilot, "j", "plus")
        assert here(app) == "c"
        await press(pilot, "G", "minus")
        assert here(app) == "a"
        await press(pilot, "plus")
        assert here(app) == "c"
        assert "3 of 4 reviewed" in painted(app.screen)
        assert "1 to go" in painted(app.screen)
        await press(pilot, "u")
        assert here(app) == "a"
        assert statuses(library) == {"a": "new", "b": "accepted", "c": "new", "d": "rejected"}


async def test_a_verdict_that_can_not_be_given_is_told_and_nothing_moves() -> None:
    library = filled("a", "b")
    async with shown(library) as (pilot, app):
        holder = library.open(next(one.id for one in library.list() if one.title == "a"))
        await press(pilot, "plus")
        assert "is open in" in told(pilot)
        assert here(app) == "a"
        holder.close()
        await press(pilot, "plus")
        assert (statuses(library)["a"], here(app)) == ("accepted", "b")


async def test_a_verdict_that_somebody_else_gave_meanwhile_stays_and_is_shown() -> None:
    library = filled("a", "b", "c")
    ids = {entry.title: entry.id for entry in library.list()}
    async with shown(library) as (pilot, app):
        with library.open(ids["a"]) as session:
            session.describe(status="rejected")
        await press(pilot, "plus")
        assert statuses(library)["a"] == "rejected"
        assert judged(app) == ["rejected", "new", "new"]
        assert "a was rejected meanwhile" in told(pilot)
        assert here(app) == "b"
        with library.open(ids["b"]) as session:
            session.describe(status="accepted")
        await press(pilot, "plus")
        assert (judged(app), here(app)) == (["rejected", "accepted", "new"], "c")
        await press(pilot, "asterisk", "exclamation_mark")
        assert set(statuses(library).values()) == {"needs work"}


async def test_taking_back_leaves_what_somebody_else_has_judged_since() -> None:
    library = filled("a", "b")
    ids = {entry.title: entry.id for entry in library.list()}
    async with shown(library) as (pilot, app):
        await press(pilot, "plus", "minus")
        with library.open(ids["b"]) as session:
            session.describe(status="needs work")
        await press(pilot, "u")
        assert "b needs work meanwhile" in told(pilot)
        assert judged(app) == ["accepted", "needs work"]
        await press(pilot, "u")
        assert statuses(library) == {"a": "new", "b": "needs work"}


async def test_the_place_the_filter_and_the_order_are_kept_for_tomorrow(tmp_path: Path) -> None:
    on_disk(tmp_path / "one", "a1", "a2", "b1", "a3")
    async with shown(Library(tmp_path / "one")) as (pilot, app):
        await press(pilot, "s", "j", "j", "enter", "s", "enter", "ampersand")
        await answer(pilot, "a")
        assert order(app) == ["a3", "a2", "a1"]
        await press(pilot, "g", "j")
        assert here(app) == "a2"
    async with shown(Library(tmp_path / "one")) as (_, app):
        assert order(app) == ["a3", "a2", "a1"]
        assert here(app) == "a2"
        assert "title ▴" in painted(app.screen)
    on_disk(tmp_path / "two", "x", "y")
    async with shown(Library(tmp_path / "two")) as (_, app):
        assert (order(app), here(app)) == (["x", "y"], "x")


# In the inspector


async def test_in_the_inspector_each_key_judges_what_is_open_and_opens_the_next() -> None:
    names = [f"s{number:02}" for number in range(SOME)]
    library, keys = filled(*names), verdicts(SOME)
    async with shown(library) as (pilot, app):
        await burst(pilot, "enter", *keys)
        given = [KEYS[key] for key in keys]
        assert [statuses(library)[name] for name in names] == given
        assert open_title(app) == names[-1]
        assert "All 20 are reviewed." in told(pilot)
        await press(pilot, "O")
        assert judged(app) == given
        assert order(app) == names


async def test_u_takes_back_the_verdict_that_led_to_a_session_and_returns() -> None:
    library = filled("a", "b", "c")
    async with shown(library) as (pilot, app):
        await press(pilot, "enter", "plus", "minus")
        assert open_title(app) == "c"
        await press(pilot, "u")
        assert open_title(app) == "b"
        await press(pilot, "u")
        assert open_title(app) == "a"
        assert set(statuses(library).values()) == {"new"}
        await press(pilot, "exclamation_mark", "O")
        assert here(app) == "b"
        await press(pilot, "u")
        assert set(statuses(library).values()) == {"new"}


async def test_u_undoes_a_change_before_it_takes_back_a_verdict() -> None:
    library = filled("a", "b")
    async with shown(library) as (pilot, app):
        await press(pilot, "enter", "plus")
        screen = app.screen
        assert isinstance(screen, InspectorScreen)
        screen.change({"operation": "CLEAR"}, "Cleared")
        await wait(pilot)
        await press(pilot, "u")
        assert (open_title(app), len(screen.conversation.view)) == ("b", 1)
        assert statuses(library)["a"] == "accepted"


async def test_u_takes_a_split_away_before_the_verdict_that_led_here() -> None:
    library = filled("a", "b")
    with library.open(library.find("b")) as session:
        session.execute({"operation": "APPEND", "messages": [MORE]})
    async with shown(library) as (pilot, app):
        await press(pilot, "enter", "plus", "2", "G")
        await pilot.app.screen.run_action("split")
        await wait(pilot)
        assert len(library.list()) == 4
        await press(pilot, "u")
        assert open_title(app) == "b"
        assert statuses(library) == {"a": "accepted", "b": "new"}
        await press(pilot, "u")
        assert open_title(app) == "a"
        assert statuses(library) == {"a": "new", "b": "new"}


async def test_the_conversations_before_and_behind_are_opened_without_going_back() -> None:
    async with shown(filled("a", "b", "c")) as (pilot, app):
        await press(pilot, "enter", "greater_than_sign", "greater_than_sign")
        assert open_title(app) == "c"
        await press(pilot, "greater_than_sign")
        assert open_title(app) == "c"
        assert "This is the last of 3." in told(pilot)
        await press(pilot, "less_than_sign")
        assert open_title(app) == "b"
        await press(pilot, "O")
        assert here(app) == "b"


async def test_a_session_opened_alone_knows_the_others_of_its_library() -> None:
    library = filled("a", "b", "c")
    first = next(entry for entry in library.list() if entry.title == "b")
    app = CtxtuiApp(library.open(first.id), library)
    async with app.run_test(size=(140, 42)) as pilot:
        await press(pilot, "plus")
        assert open_title(app) == "c"
        await press(pilot, "O")
        assert isinstance(app.screen, LibraryScreen)
        assert statuses(library) == {"a": "new", "b": "accepted", "c": "new"}


async def test_a_session_that_is_read_only_gets_no_verdict_and_can_be_passed_by() -> None:
    library = filled("a", "b")
    holder = library.open(next(one.id for one in library.list() if one.title == "a"))
    async with shown(library) as (pilot, app):
        await press(pilot, "enter", "plus")
        assert open_title(app) == "a"
        assert "has it open" in told(pilot)
        await press(pilot, "greater_than_sign")
        assert open_title(app) == "b"
    holder.close()


async def test_notes_about_messages_are_kept_and_shown_with_them() -> None:
    library = filled("a")
    async with shown(library) as (pilot, app):
        await press(pilot, "enter", "semicolon")
        await answer(pilot, "[/b] cut \x1b[31m this")
        assert "[/b] cut ␛[31m this" in painted(app.screen)
        await press(pilot, "O", "enter")
        assert "[/b] cut ␛[31m this" in painted(app.screen)
        await press(pilot, "5")
        assert noted(app) == {"raw": [True], "visible": [True], "role-user": [True]}
        assert NOTED.glyph in painted(app.screen)
        await press(pilot, "semicolon")
        await answer(pilot, "")
        assert "cut" not in painted(app.screen)
        assert noted(app) == {"raw": [False], "visible": [False], "role-user": [False]}


async def test_undo_in_the_inspector_leaves_notes_alone() -> None:
    async with shown(filled("a")) as (pilot, app):
        await press(pilot, "enter", "semicolon")
        await answer(pilot, "cut this")
        await press(pilot, "u")
        assert "there is nothing to undo" in told(pilot)
        assert "cut this" in painted(app.screen)
    assert "notes, recorded calls and usage stay" in page("docs/keys.md").text


def noted(app: CtxtuiApp) -> dict[str, list[bool]]:
    """Return which rows of the lists have the sign of a note."""
    names = ("raw", "visible", "role-user")
    lists = {name: app.screen.query_one(f"#{name}", LineList) for name in names}
    return {
        name: [
            NOTED.glyph in "".join(piece.text for piece in one.source.line(at, 60))
            for at in range(len(one.source))
        ]
        for name, one in lists.items()
    }


# Two programs


async def test_a_session_that_another_program_writes_grows_in_the_list_and_the_preview(
    tmp_path: Path,
) -> None:
    writer = Library(tmp_path).create(Conversation(), title="grows")
    writer.execute(append("first"))
    async with shown(Library(tmp_path)) as (pilot, app):
        await wait(pilot)
        for count in (2, 3):
            writer.execute(append(f"message {count}"))
            screen = app.screen
            assert isinstance(screen, LibraryScreen)
            for _ in range(MOST_LOOKS):
                screen.learning._rests_until = 0.0
                screen.learning.look()
                await wait(pilot)  # A look leads to another thread, which looks into it.
                if screen.library_state.order.rows[0].entry.messages == count:
                    break
            row = screen.library_state.order.rows[0]
            assert row.entry.messages == count
            assert f"{count} messages, all sent" in painted(screen)
            assert f"message {count}" in painted(screen)
            assert row.digest is not None
            assert [one.messages for one in row.digest.roles] == [count]
    writer.close()


async def test_two_apps_on_one_library_see_each_others_verdicts_and_keep_their_order(
    tmp_path: Path,
) -> None:
    on_disk(tmp_path, "a", "b", "c")
    async with (
        shown(Library(tmp_path)) as (one, first),
        shown(Library(tmp_path)) as (other, second),
    ):
        await press(one, "plus")
        await press(other, "G", "minus")
        with Library(tmp_path).create(Conversation(), title="theirs"):
            pass
        for app, pilot in ((first, one), (second, other)):
            screen = app.screen
            assert isinstance(screen, LibraryScreen)
            app.call_later(screen.learning.look)  # In the thread of its own app.
            await wait(pilot)
            assert order(app) == ["a", "b", "c"]
            assert judged(app) == ["accepted", "new", "rejected"]
            assert "1 new, esc shows it" in painted(screen)
            await press(pilot, "escape")
            assert len(order(app)) == len("abc") + 1
