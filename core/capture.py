"""Capturing within a program: its own calls are recorded, without a proxy.

Pass each body with its response to ``record(body, answer)``; threads and conversations are those of
a recording. A ``Capture`` of your own separates several runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any

import orjson

from .conversation.conversation import Clock, Conversation
from .engine.settings import Settings
from .errors import Refused, format_value, not_one_of, wrong_type
from .formats.bodies import BodyReader
from .formats.requests import kind_of_body
from .requests.exchange import KINDS, OUTCOMES, Exchange, Kind, Outcome
from .requests.recording import Recorded, Recorder
from .requests.threads import Thread
from .values.times import milliseconds

AS_DATA = ("model_dump", "to_dict", "dict")
"""Methods by which objects of providers' libraries return their data."""


class Capture:
    """A recorder for the calls of this program; any thread may use it."""

    def __init__(
        self,
        *,
        settings: Settings | Mapping[str, Any] | None = None,
        clock: Clock = milliseconds,
    ) -> None:
        self._clock = clock
        self._recorder = Recorder(BodyReader(), settings=settings, clock=clock)
        self._guard = Lock()

    def record(
        self,
        body: Any,
        answer: Any = None,
        *,
        kind: Kind | None = None,
        tag: str | None = None,
        outcome: Outcome = "complete",
    ) -> Recorded:
        """Record a request and its response; without a kind, it follows from the body.

        A tag separates conversations that say the same.
        """
        request = _plain(body, "body")
        response = None if answer is None else _plain(answer, "answer")
        if kind is not None and kind not in KINDS:
            raise not_one_of("kind", kind, KINDS)
        if outcome not in OUTCOMES:
            raise not_one_of("outcome", outcome, OUTCOMES)
        kind, time = kind or kind_of_body(request), self._clock()
        exchange = Exchange(request, response, kind=kind, time=time, outcome=outcome, tag=tag)
        with self._guard:
            return self._recorder.record(exchange)

    @property
    def threads(self) -> tuple[Thread, ...]:
        with self._guard:
            return self._recorder.threads

    def conversation(self, thread: int = 0) -> Conversation | None:
        """Return the conversation of a thread; None while there are only failed attempts."""
        with self._guard:
            return self._recorder.conversation(thread)


def _plain(value: Any, field: str) -> dict[str, Any]:
    """Return a body as plain data, without objects of providers' libraries."""
    try:
        plain = orjson.loads(orjson.dumps(value, default=_as_data))
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused(f"{field} is no JSON: {error}", field, legal="JSON") from None
    if not isinstance(plain, dict):
        raise wrong_type(field, value, "an object, as it is sent")
    return plain


def _as_data(value: Any) -> Any:
    give: Callable[[], Any] | None = next(
        (getattr(value, name) for name in AS_DATA if callable(getattr(value, name, None))), None
    )
    if give is None:
        raise TypeError(f"{format_value(value)} can't be written")
    return give()


_captured = Capture()


def record(body: Any, answer: Any = None, **more: Any) -> Recorded:
    """Record an exchange of this program; ``more`` is as ``Capture.record`` has it."""
    return _captured.record(body, answer, **more)


def threads() -> tuple[Thread, ...]:
    """Return the threads of this program."""
    return _captured.threads


def conversation(thread: int = 0) -> Conversation | None:
    """Return one of the conversations of this program."""
    return _captured.conversation(thread)


def forget() -> None:
    """Start a new recording; conversations of the old one stay usable."""
    global _captured  # noqa: PLW0603 - one for the program is the point of this module
    _captured = Capture()
