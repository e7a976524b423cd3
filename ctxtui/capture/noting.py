"""Noting: a call is put down in the spool, without secrets, before its client hears the end of it.

The first line of a slip is what was asked, each other one what had come back when the call seemed
to be over; the last one counts. A call without any was cut off together with the proxy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import Lock
from typing import Any

from ctxtui.capture.reading import Answer, read_answer, read_request
from ctxtui.capture.tape import Call, Tape
from ctxtui.core.errors import Refused
from ctxtui.core.formats.fields import is_object
from ctxtui.core.formats.stream_assembly import read_value
from ctxtui.core.formats.warnings import without_values
from ctxtui.core.requests.exchange import KINDS, OUTCOMES, Exchange, RemovedSecrets
from ctxtui.core.requests.secrets import SecretCleaner, SecretMemory
from ctxtui.core.storage import CrashSpool, SpoolEntry
from ctxtui.core.storage.checksummed import encode
from ctxtui.core.storage.errors import reason

HEAD = ("kind", "path", "headers", "time", "tag", "request", "warnings", "removed")
"""What a slip says of a call before there is an answer, by the names of an exchange."""
TOO_MANY = "more calls come than can be recorded"
Warn = Callable[[str], None]


class Noted:
    """A call and its slip; several threads may have to do with it, one at a time."""

    def __init__(
        self, call: Call, spool: CrashSpool, warn: Warn, memory: SecretMemory | None = None
    ) -> None:
        self.call = call
        self.slip: SpoolEntry | None = None
        self.refusal: Refused | None = None
        self._spool, self._warn = spool, warn
        self._memory = memory or SecretMemory()
        self._guard = Lock()
        self._cleaner: SecretCleaner | None = None
        self._head: bytes | None = None
        self._answer: Answer | None = None
        self._size = -1
        self._is_over = False
        self._has_begun = False

    @property
    def is_ready(self) -> bool:
        """Return whether only the answer is missing, and no other thread is busy with it."""
        return self._has_begun and not self._guard.locked()

    def begin(self) -> None:
        """Put down what was asked, once all of that has come."""
        with self._guard:
            self._begin()

    def _begin(self) -> None:
        if self._cleaner is not None or self.refusal is not None:
            return
        try:
            self._cleaner, asked = read_request(self.call, self._memory)
            self._head = _line({name: getattr(asked, name) for name in HEAD})
        except Refused as refusal:
            self.refusal = refusal
            return
        self.call.asked = Tape()
        with self._warning():
            self.slip = self._spool.begin()
            self.slip.add(self._head)
        self._has_begun = True

    def end(self, content: bytes) -> None:
        """Put down what came back so far, unless that was done; it may be all that ever will."""
        with self._guard:
            self._end(content)

    def _end(self, content: bytes) -> None:
        self._begin()
        if self._cleaner is None or self._is_over or self._size == len(content):
            return
        self._answer = read_answer(self.call, content, self._cleaner)
        self._size = len(content)
        with self._warning():
            if self.slip is not None:
                self.slip.add(_line(self._answer._asdict()))

    def finish(self, content: bytes) -> None:
        """Put down all that came back, now that the call is over."""
        with self._guard, suppress(OSError):
            self._end(content)
            self._is_over = True
            if self.slip is not None:
                self.slip.close()

    def unload(self) -> None:
        """Forget what the slip of a finished call says too; one without a slip is given up."""
        with self._guard:
            if self.slip is None and self.refusal is None:
                self.refusal = Refused(TOO_MANY, field="call")
            self.call.answered = Tape()
            self._head, self._answer = None, None

    def exchange(self) -> Exchange:
        """Return the exchange of a call that is over; refuse one whose request can't be read."""
        with self._guard:
            if self.refusal is not None:
                raise self.refusal
            if self._head is None:
                assert self.slip is not None
                return read_slip(self.slip)
            found = _exchange([self._head])
            name = None if self.slip is None else self.slip.name
            if self._answer is None:
                return replace(found, id=name)
            answer = self._answer._asdict()
            answer["warnings"] = (*found.warnings, *self._answer.warnings)
            answer["removed"] = found.removed.and_of(self._answer.removed)
            return replace(found, **answer, id=name)

    def strike(self) -> None:
        """Take it out of the spool."""
        slip, self.slip = self.slip, None
        if slip is not None:
            with suppress(OSError):
                slip.delete()

    @contextmanager
    def _warning(self) -> Iterator[None]:
        """Tell why a call is in memory only, and leave nothing of it in the spool."""
        try:
            yield
        except (OSError, Refused) as error:
            self.strike()
            self._warn(reason(error) if isinstance(error, OSError) else without_values(error))


def read_slip(slip: SpoolEntry) -> Exchange:
    """Return the exchange of a slip; refuse one that is none."""
    try:
        lines = slip.lines()
    except OSError as error:
        raise Refused(f"slip {slip.name} can't be read: {reason(error)}", field="spool") from None
    return replace(_exchange(lines), id=slip.name)


def _line(told: dict[str, Any]) -> bytes:
    return encode({**told, "removed": told["removed"].to_dict()}, is_safe=True).data


def _exchange(lines: list[bytes]) -> Exchange:
    """Return the exchange that lines tell; anybody may have written them."""
    values: list[Any] = [read_value(line) for line in (*lines[:1], *lines[1:][-1:])]
    match values:
        case [{"kind": kind, "path": str(path), "request": request} as head, *answers] if (
            kind in KINDS and is_object(request)
        ):
            answer = answers[0] if answers and is_object(answers[0]) else {}
            response, status = answer.get("response"), answer.get("status")
            outcome, envelope = answer.get("outcome"), answer.get("envelope")
            return Exchange(
                request=request,
                response=response if is_object(response) else None,
                kind=kind,
                path=path,
                headers=head.get("headers") or {},
                status=status if isinstance(status, int) else None,
                time=head.get("time"),
                outcome=outcome if outcome in OUTCOMES else "cut",
                tag=head.get("tag"),
                envelope=envelope if is_object(envelope) else None,
                warnings=tuple(
                    one
                    for found in (head.get("warnings"), answer.get("warnings"))
                    for one in found or ()
                    if is_object(one)
                ),
                removed=RemovedSecrets.of(head.get("removed")).and_of(
                    RemovedSecrets.of(answer.get("removed"))
                ),
            )
    raise Refused("there is no request in it", field="spool")
