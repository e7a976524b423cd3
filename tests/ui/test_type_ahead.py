"""Keys typed ahead: whole sentences at once, on an event loop that takes its time."""

from __future__ import annotations

import asyncio
import random

import pytest
from textual import events
from textual.keys import _character_to_key
from textual.message import Message
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.widgets import Input

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.inspector.screen import InspectorScreen
from tests.ui.opening import listed, opened
from tests.ui.test_library import filled, shown, wait

SEEDS = range(2)


@pytest.fixture(autouse=True, params=SEEDS)
def _slow_loop(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every part of the app take a different while for every message."""
    chance = random.Random(request.param)
    dispatch = MessagePump._dispatch_message

    async def slowly(self: MessagePump, message: Message) -> None:
        for _ in range(chance.choice((0, 0, 1, 3, 12))):
            await asyncio.sleep(0)
        await dispatch(self, message)

    monkeypatch.setattr(MessagePump, "_dispatch_message", slowly)


def chat() -> Conversation:
    return Conversation([{"role": "user", "content": f"message {at}"} for at in range(12)])


async def burst(pilot: Pilot[str], *words: str) -> None:
    """Press keys faster than anything can answer; a word of one letter or in < > is a key."""
    for word in words:
        keys = [word.strip("<>")] if word.startswith("<") else list(word)
        for key in keys:
            is_character = len(key) == 1
            name = _character_to_key(key) if is_character else key
            pilot.app.post_message(events.Key(name, key if is_character else None))
    app = pilot.app
    assert isinstance(app, CtxtuiApp)
    await pilot.pause()
    await app.type_ahead.settled()


async def test_ctrl_s_waits_for_what_was_typed_before_it() -> None:
    async with opened(chat()) as (pilot, screen):
        await burst(pilot, "a", "please be brief", "<ctrl+s>")
        assert screen.conversation.log[-1].content == "please be brief"
        await burst(pilot, "t", "2", "<ctrl+s>")
        assert len(screen.conversation.view) == 2


async def test_tab_moves_on_while_a_form_opens() -> None:
    async with opened(chat()) as (pilot, screen):
        await burst(pilot, "t", "<tab>", "4", "<enter>")
        assert list(screen.conversation.view) == [8, 9, 10, 11]
        await burst(pilot, "u", "t", "<tab>", "<tab>", "<shift+tab>", "3", "<enter>")
        assert list(screen.conversation.view) == [9, 10, 11]


async def test_two_forms_and_an_undo_in_one_breath() -> None:
    async with opened(chat()) as (pilot, screen):
        await burst(pilot, "a", "one", "<ctrl+s>", "a", "two", "<ctrl+s>", "u")
        await burst(pilot, "a", "three", "<ctrl+s>")
        said = [message.content for message in screen.conversation.visible][-2:]
        assert said == ["one", "three"]


async def test_prompts_take_what_was_typed_ahead_and_give_the_keys_back() -> None:
    async with opened(chat()) as (pilot, screen):
        await burst(pilot, ":", "7", "<enter>", "m", "gold", "<enter>", "j", "m", "<enter>")
        assert {label: list(raws) for label, raws in screen.conversation.marks.items()} == {
            "gold": [7],
            "keep": [8],
        }
        await burst(pilot, "/", "message 3", "<enter>")
        await wait(pilot)
        assert screen.explorer.raw == 3


async def test_keys_wait_whoever_else_waits_beside_them() -> None:
    async with opened(chat()) as (pilot, screen):
        app = pilot.app
        assert isinstance(app, CtxtuiApp)
        waiting = app.type_ahead

        async def keep_waiting() -> None:
            while True:
                await waiting.settled()
                await asyncio.sleep(0)

        others = [asyncio.create_task(keep_waiting()) for _ in range(4)]
        await burst(pilot, ":", "7", "<enter>", "d", "<ctrl+s>", ":", "3", "<enter>", "j", "j")
        for other in others:
            other.cancel()
        assert [*screen.conversation.query.hidden(), screen.explorer.raw] == [7, 5]


async def test_keys_that_wait_for_an_app_that_has_failed_hold_nothing_up() -> None:
    def fail(cursor: int) -> None:
        raise RuntimeError("planted")

    async def type_into_a_failing_app() -> None:
        async with opened(chat()) as (pilot, screen):
            pane = listed(screen, "visible")
            pane.watch(pane, "cursor", fail, init=False)
            await burst(pilot, "gjkjk")

    with pytest.raises(RuntimeError, match="planted"):
        await type_into_a_failing_app()


async def test_keys_typed_while_a_session_opens_go_to_it() -> None:
    async with shown(filled("one", "two")) as (pilot, app):
        await burst(pilot, "<enter>", "a", "hello", "<ctrl+s>")
        await wait(pilot)
        assert isinstance(app, CtxtuiApp)
        await app.type_ahead.settled()
        assert isinstance(app.screen, InspectorScreen)
        assert app.screen.conversation.log[-1].content == "hello"


async def test_the_palette_runs_what_was_typed_and_entered_before_it_was_there() -> None:
    async with opened(chat()) as (pilot, screen):
        await burst(pilot, "a", "one", "<ctrl+s>")
        size = len(screen.conversation.view)
        await burst(pilot, "C", "Undo", "<enter>", "<enter>")
        await wait(pilot)
        assert screen.is_current
        assert len(screen.conversation.view) == size - 1


def long_chat() -> Conversation:
    return Conversation([{"role": "user", "content": f"message {at} here"} for at in range(9_000)])


@pytest.mark.parametrize("key", ["/", "&"])
async def test_keys_after_a_search_are_for_what_it_finds(key: str) -> None:
    async with opened(long_chat()) as (pilot, screen):
        await burst(pilot, key, "message 8998", "<enter>", "d", "<ctrl+s>")
        await wait(pilot)
        operation = screen.conversation.journal[-1].operations[0]
        assert operation.to_dict() == {"operation": "DELETE", "indices": [8998]}


async def test_next_goes_on_from_what_was_found_at_last() -> None:
    async with opened(long_chat()) as (pilot, screen):
        await burst(pilot, "/", "message 70", "<enter>", "n", "n")
        await wait(pilot)
        assert screen.explorer.raw == 701


async def test_every_key_of_the_library_is_for_the_list_as_it_is_then() -> None:
    library = filled("one", "two", "three", "four")
    async with shown(library) as (pilot, app):
        await burst(pilot, "d", "d", "+")
        await wait(pilot)
        assert {entry.title: entry.status for entry in library.list()} == {
            "three": "accepted",
            "four": "new",
        }
        await burst(pilot, "r", "<ctrl+u>", "<enter>", "d", "d")
        await wait(pilot)
        assert len(library.list()) == 2
        assert app.screen.query_one("#ask", Input).value == "dd"
