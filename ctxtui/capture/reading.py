"""Reading: a call as it passed by becomes an exchange: decoded, put together, without secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from core.errors import Refused, not_a
from core.formats.answers import Assembled, assembled
from core.formats.exchanges import TIMINGS
from core.formats.json_text import NO_NUMBERS, read_dirty_json
from core.formats.objects import is_object
from core.requests.exchange import GOOD, Exchange, Outcome
from ctxtui.capture.decoding import decoded
from ctxtui.capture.secrets import Hider, keys_of
from ctxtui.capture.tape import LONGEST, MIB, Call

ENCODING = "content-encoding"
NOTHING = Assembled(None, "failed")


class Answer(NamedTuple):
    """What came back, by the names that it has in an exchange."""

    response: Mapping[str, Any] | None
    status: int | None
    outcome: Outcome
    envelope: Mapping[str, Any] | None = None


def read_request(call: Call) -> tuple[Hider, Exchange]:
    """Return an exchange that has no answer yet, and what hides its keys; refuse what is none."""
    tape = call.asked
    if tape.is_too_long:
        raise _too_long(tape.size)
    odd: list[str] = []
    request = read_dirty_json(decoded(tape.content, call.headers.get(ENCODING, "")), odd.append)
    if not is_object(request):
        raise not_a("request", request, "an object with messages")
    hider = Hider(keys_of(call.headers, call.path))
    asked = Exchange(
        request=request,
        kind=call.kind,
        path=call.path,
        headers=call.headers,
        time=call.time,
        tag=call.tag,
        noticed=(f"{NO_NUMBERS}: {', '.join(dict.fromkeys(odd))}",) if odd else (),
    )
    return hider, hider.without_secrets(asked)


def read_answer(call: Call, content: bytes, hider: Hider) -> Answer:
    """Return what came back; what can't be read is none: the request is worth keeping all the same.

    The content is given, since more of it may be coming while it is read.
    """
    if call.status is None:
        return Answer(None, None, NOTHING.outcome)
    try:
        if call.answered.is_too_long:
            raise _too_long(call.answered.size)
        encoding = call.answer_headers.get(ENCODING, "")
        found = assembled(call.kind, decoded(content, encoding))
    except Refused:
        found = Assembled(None, "cut")
    response = None if found.answer is None else hider.hidden(found.answer)
    outcome = found.outcome if call.status in GOOD else "failed"
    return Answer(response, call.status, outcome, _timed(call))


def _timed(call: Call) -> dict[str, Any] | None:
    """Return how long an answer took to begin, and from there to its newest bytes."""
    if call.first is None or call.last is None:
        return None
    timings = {"wait": max(0, call.first - call.time), "receive": max(0, call.last - call.first)}
    return {TIMINGS: timings}


def _too_long(size: int) -> Refused:
    most = LONGEST // MIB
    return Refused(
        f"a body of {size:,} bytes is longer than {most} MiB, the most that is recorded",
        field="body",
        value=size,
        legal=f"at most {most} MiB",
    )
