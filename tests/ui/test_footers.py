"""The line of keys belongs to what has the focus, and shows only what can be done now."""

from __future__ import annotations

import pytest

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.widgets.footer import KeyFooter
from tests.settling import idle
from tests.ui.opening import opened, tour
from tests.ui.test_library import filled, shown, wait

BROKEN = {"operation": "TRUNCATE", "keepLast": 7}
"""Leaves a tool result in the tour without its call."""

CONTEXTS = [
    # What was pressed, what is shown, what is not.
    (
        "",
        "a append, t truncate, [ earlier, u undo, enter read, tab next, o all, ? help",
        "], R, n, U",
    ),
    ("1", "enter read, space select, tab next, esc library", ""),
    ("1 g j j j", "p put back", "E, X, H"),
    ("3", "j k scroll, V markdown, y copy, esc to the list", "enter, a, space"),
    ("4", "j k batch, = diff, tab next, u undo, esc library", "[, ], R, T"),
    ("4 k", "R roll back to 2, T switch off, M record, esc return to 3", "a, u, o"),
    ("4 g", "R roll back to 0", "T"),
    ("[", "[ earlier, ] later, R roll back to 2, esc return to 3, = diff", "a, t, o"),
    ("[ [ [", "] later, R roll back to 0", "[, T"),
    ("space", "d hide 1, s compress 1, m mark 1, esc clear selection", ""),
    ("v", "v end range, esc clear selection", ""),
    ("u", "U redo", ""),
    ("z", "esc smaller", ""),
    ("/", "enter search, esc back", "a, o, ?, u"),
    ("/ t e s t enter", "n N 7 matches, esc end the search", ""),
    (":", "enter go there, esc back", ""),
    ("& t enter", "esc show all", "n"),
    ("m", "enter mark, esc back", ""),
    ("5", "j k message, enter go to it, tab next, esc to the panes", "a"),
    ("5", "← → role, & filter", ""),
    ("5 &", "← → choice, enter choose, esc to the list", "j"),
    ("5 & escape", "& filter, esc to the panes", ""),
    ("6", "j k scroll, z maximise, 6 state, esc to the panes", "enter, tab"),
    ("6 6", "j k snapshot, → ← open, enter open, 6 arrays", "z"),
    ("@", "j k scroll, 6 arrays, esc to the panes", "@"),
    ("7", "space play, ← → record, enter open", "R"),
    ("8", "j k scroll, esc to the panes", ""),
    ("0", "j k scroll, { } message, esc to the panes", "enter"),
    ("L", "& filter, tab next, esc to the panes", "enter, E, F"),
    ("L &", "← → choice, enter choose, esc to the list", ""),
    ("t", "ctrl+s apply, tab next, ↑ ↓ by one, esc back, f1 help", "ctrl+e, ctrl+y, o"),
    ("a", "ctrl+s apply, ctrl+n another message, ctrl+e editor", "←, ctrl+f, ↑"),
    ("a shift+tab", "← → choose", ""),
    ("o", "j k operation, enter open its form, esc back", "a, u"),
    ("o G enter", "ctrl+s apply, ctrl+e editor, esc back", ""),
    ("?", "j k scroll, esc back", "enter"),
    ("=", "n N difference, [ ] from, { } to, ~ swap, y copy, esc back", "{out}"),
    ("= tab", "j k scroll, n N difference, esc back", "enter"),
    ("w", "ctrl+s apply, enter look, ↑ ↓ strategy, w over the run, esc back, ? help", "L"),
    ("w w", "w now, ← → call", "enter, L, tab"),
    ("w delete i", "j k strategy, enter add it, esc back", "+"),
    ("w $", "enter take them, esc back", "tab"),
]
KEYS = {
    "[": "left_square_bracket",
    "]": "right_square_bracket",
    "/": "slash",
    ":": "colon",
    "&": "ampersand",
    "?": "question_mark",
    "=": "equals_sign",
    "+": "plus",
    "$": "dollar_sign",
}


def told(screen: object) -> list[str]:
    """Return the keys that are shown with their words."""
    line = screen.query_one(KeyFooter)  # type: ignore[attr-defined]
    return [f"{key.keys} {key.word}" for group in line.keys for key in group]


def split(listed: str) -> list[str]:
    return [one for one in listed.split(", ") if one]


@pytest.mark.parametrize(("pressed", "there", "missing"), CONTEXTS, ids=lambda one: one or "start")
async def test_each_context_has_its_keys(pressed: str, there: str, missing: str) -> None:
    async with opened(size=(200, 50)) as (pilot, _):
        await pilot.press(*(KEYS.get(key, key) for key in pressed.split()))
        await idle(pilot)
        line = told(pilot.app.screen)
        lead = [one.split(" ")[0] for one in line]
        assert [one for one in split(there) if one not in line] == []
        assert [one for one in split(missing) if one in lead] == []


async def test_arrows_are_words_in_ascii_where_they_would_look_like_other_keys() -> None:
    async with opened(size=(200, 50)) as (pilot, _):
        await pilot.press("7")
        await pilot.app.run_action("ascii")
        await pilot.pause()
        line = pilot.app.screen.query_one(KeyFooter).render_line(0).text
        assert " left right record " in line
        assert " < > speed " in line


async def test_other_fields_are_offered_where_there_are_any() -> None:
    for meta in ({}, {"fields": {"label": 1}}):
        async with opened(Conversation(meta=meta), size=(200, 50)) as (pilot, screen):
            for keys in ("6", "6"):
                await pilot.press(keys)
                assert ("@ other fields" in told(screen)) is bool(meta)


async def test_repairs_are_offered_where_they_help() -> None:
    conversation = tour()
    conversation.execute(BROKEN)
    bad = next(one for one in conversation.lint() if one.severity == "error")
    async with opened(conversation, size=(200, 50)) as (pilot, screen):
        assert bad.raw_index is not None
        screen.explorer.go_to_raw(bad.raw_index)
        await pilot.pause()
        letters = {"restore": "E", "drop": "X", "stub": "H"}
        wanted = {letters[one] for one in bad.repairs}
        assert {one.split()[0] for one in told(screen)} & {"E", "X", "H"} == wanted
        await pilot.press("L")
        assert {one.split()[0] for one in told(screen)} & {"E", "X", "H"} == wanted
        assert "enter go to it" in told(screen)
        await pilot.press("left_square_bracket")
        assert not {one.split()[0] for one in told(screen)} & {"E", "X", "H"}


async def test_a_conversation_of_one_batch_has_nowhere_to_step() -> None:
    talk = Conversation([{"role": "user", "content": "hi"}])
    async with opened(talk, size=(200, 50)) as (pilot, screen):
        line = " ".join(told(screen))
        assert "[" not in line
        assert "]" not in line
        assert "undo" not in line
        await pilot.press("4")
        assert "batch" not in " ".join(told(screen))


async def test_an_offer_has_its_key_until_it_is_gone() -> None:
    settings = {"compressionConfig": {"enabled": True, "threshold": 5, "targetTokens": 4}}
    talk = Conversation([{"role": "user", "content": "hi"}], settings=settings)
    talk.append("assistant", "a long answer that goes on and on and on")
    async with opened(talk, size=(200, 50)) as (pilot, screen):
        assert "K offer" in told(screen)
        await pilot.press("u")
        assert "K offer" not in told(screen)


async def test_an_answer_that_is_refused_keeps_the_keys_of_the_prompt() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("colon", "9", "9", "9", "enter")
        assert told(screen) == ["enter go there", "esc back"]
        await pilot.press("escape")
        assert "tab next" in told(screen)


async def test_a_click_on_escape_leaves_a_prompt() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("slash", "x")
        await pilot.click("#keys", offset=(16, 0))
        assert not screen.explorer.prompt.is_open


async def test_the_library_shows_what_can_be_done_to_a_session() -> None:
    async with shown(filled("one", "two")) as (pilot, app):
        line = " ".join(told(app.screen))
        assert "enter open" in line
        assert "+ accept" not in line
        assert "undo" not in line
        await pilot.press("plus")
        await wait(pilot)
        assert "+ accept" in told(app.screen)
        assert "u undo" in told(app.screen)
        await pilot.press("ampersand")
        assert told(app.screen) == ["enter show only these", "esc back"]
        await pilot.press("o", "n", "e", "enter")
        assert "esc show all" in told(app.screen)


LIBRARY_CONTEXTS = [
    # What was pressed, what is shown, what is not.
    ("", "enter open, space v select, s sort", "esc, u, p, +"),
    ("space", "esc clear selection", "u"),
    ("+", "u undo, + accept, - reject, ! needs work", "esc"),
    ("s", "j k column, enter sort by it, esc back", "+"),
    ("6", "enter open, esc all sessions", "+, space, t"),
    ("9", "esc all sessions", "+, t, enter"),
    ("d 9", "p put back, u undo, esc all sessions", "+, t, enter"),
    ("/ o n e enter", "enter open, n N next found, esc all sessions", "i"),
    ("& o n e enter", "esc show all", ""),
    (";", "enter save it, esc back", "+"),
    ("enter", "< > other, + - ! verdict", ""),
]


@pytest.mark.parametrize(("pressed", "there", "missing"), LIBRARY_CONTEXTS)
async def test_each_context_of_the_library_has_its_keys(
    pressed: str, there: str, missing: str
) -> None:
    app = CtxtuiApp(library=filled("one", "two"))
    async with app.run_test(size=(200, 50)) as pilot:
        await wait(pilot)
        for key in pressed.split():
            await pilot.press({**KEYS, ";": "semicolon"}.get(key, key))
            await wait(pilot)
        line = told(pilot.app.screen)
        lead = [one.split(" ")[0] for one in line]
        assert [one for one in split(there) if one not in line] == []
        assert [one for one in split(missing) if one in lead] == []
