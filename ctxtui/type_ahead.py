"""Type-ahead: keys, pastes and clicks take effect one after the other, however fast they come.

Textual hands a key to whatever has the focus at the moment it arrives. What is typed faster than
forms open, fields fill and the focus moves would go to the wrong place, or a key of the app would
overtake letters that a field has not taken yet. So the next one waits until the one before has
had all its effects.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from textual import events
from textual.app import App
from textual.dom import DOMNode
from textual.message import Message
from textual.screen import Screen

from ctxtui.widgets.base_screen import BaseScreen

Typed = events.Key | events.Paste | events.MouseDown | events.MouseUp
"""Events that are handled in order; mouse moves are not."""

MOST_ROUNDS = 50
"""How often messages may lead to other messages before the next key has waited long enough."""
LOOK_AGAIN_SECONDS = 0.02
"""How long to wait before looking again: at a part of the app, or at what a screen waits for."""


def as_meant(event: Typed) -> Typed:
    """Return what was typed, with the enter that a terminal has made a line feed of.

    Before the app has taken over the terminal, that keeps lines, and ends each as a file would:
    enter that is pressed while the app starts arrives as ctrl+j.
    """
    if isinstance(event, events.Key) and event.key == "ctrl+j":
        return events.Key("enter", "\r")
    return event


class TypeAhead:
    """Holds back what was typed, and hands it on in order; ``deliver`` hands one event on."""

    def __init__(
        self, app: App[Any], deliver: Callable[[Typed], Coroutine[Any, Any, None]]
    ) -> None:
        self._app = app
        self._deliver = deliver
        self._held: deque[Typed] = deque()
        self._task: asyncio.Task[None] | None = None
        self._is_waiting = False
        self.repeats = 1
        """How often the key was pressed that is being handled: a held key is one move."""
        self._one_at_a_time = asyncio.Lock()

    def put(self, event: Typed) -> None:
        """Take an event; it is handed on when all before it have had their effect."""
        self._held.append(event)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._hand_on(), name="type-ahead")

    @property
    def is_empty(self) -> bool:
        """Return whether nothing is held or on its way."""
        return not self._held and (self._task is None or self._task.done())

    async def settled(self) -> None:
        """Wait until everything that is awaited was handed on and has had its effect."""
        await self._effects()
        # An app that has failed handles nothing any more.
        while self._app.is_running and self._task and not (self._task.done() or self._is_waiting):
            await asyncio.wait([self._task], timeout=LOOK_AGAIN_SECONDS)
            await self._effects()

    def clear(self) -> None:
        self._held.clear()

    def stop(self) -> None:
        self.clear()
        if self._task is not None:
            self._task.cancel()

    async def _hand_on(self) -> None:
        while self._held and self._app.is_running:
            await self._effects()
            event, done = self._next(), asyncio.Event()
            self._is_waiting = event is None
            if event is None:
                await asyncio.sleep(LOOK_AGAIN_SECONDS)
            elif self._app.call_later(self._hand_over, event, done):
                await done.wait()

    def _next(self) -> Typed | None:
        """Return the next event that may be handled now."""
        if not self._held or not self._app.screen_stack:
            return None
        screen = self._app.screen
        waiting = screen if isinstance(screen, BaseScreen) else None
        self.repeats = 1
        if waiting is None or waiting.accepts_key(self._held[0]):
            event = self._held.popleft()
            if isinstance(event, events.Key) and event.key in _repeatable(screen):
                while self._held and _is_same(event, self._held[0]):
                    self._held.popleft()
                    self.repeats += 1
            return event
        for at, event in enumerate(self._held):
            if waiting.skips_queue(event):
                del self._held[at]
                return event
        return None

    async def _hand_over(self, event: Typed, done: asyncio.Event) -> None:
        try:
            await self._deliver(event)
        finally:
            done.set()

    async def _effects(self) -> None:
        """Wait until nothing is under way between what has the focus and the app.

        A key goes from the focus up to the app, and so do the messages it causes. Going the same
        way behind them is waiting for them; once no other message was met, all is done.
        """
        async with self._one_at_a_time:  # A signal forgets all that an app has asked of it at once.
            for _ in range(MOST_ROUNDS):
                way = self._way_up()
                with self._counting(way) as met:
                    for node in way:
                        await self._reached(node)
                if not met:
                    return

    def _way_up(self) -> list[DOMNode]:
        if not self._app.screen_stack or not self._app.is_running:
            return []
        screen = self._app.screen
        start = screen if screen.focused is None else screen.focused
        return start.ancestors_with_self

    @contextmanager
    def _counting(self, nodes: list[DOMNode]) -> Iterator[list[Message]]:
        """Collect the messages that some nodes get meanwhile, other than our own."""
        met: list[Message] = []

        def note(message: Message) -> None:
            if not (isinstance(message, events.Timer) or _is_mark(message)):
                met.append(message)

        for node in nodes:
            node.message_signal.subscribe(self._app, note, immediate=True)
        try:
            yield met
        finally:
            for node in nodes:
                node.message_signal.unsubscribe(self._app)

    async def _reached(self, node: DOMNode) -> None:
        """Wait until a node has handled all its messages so far."""
        reached = HandledMark()
        is_waiting = node.post_message(events.Callback(reached.set))
        while is_waiting and not reached.is_set() and node.is_attached and self._app.is_running:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_AGAIN_SECONDS):
                    await reached.wait()


def key_repeats(node: DOMNode) -> int:
    """Return how often the key was pressed that is being handled."""
    type_ahead = getattr(node.app, "type_ahead", None)
    return type_ahead.repeats if isinstance(type_ahead, TypeAhead) else 1


def _repeatable(screen: Screen[Any]) -> frozenset[str]:
    """Return the keys of which the widget in focus takes several at once."""
    return getattr(screen.focused, "REPEATABLE", frozenset())


def _is_same(event: events.Key, other: Typed) -> bool:
    return isinstance(other, events.Key) and other.key == event.key


class HandledMark(asyncio.Event):
    """Is set when a node has handled all messages before this one."""


def _is_mark(message: Message) -> bool:
    act = message.callback if isinstance(message, events.Callback) else None
    return isinstance(getattr(act, "__self__", None), HandledMark)
