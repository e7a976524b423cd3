"""Reading: a call as it passed by becomes an exchange: decoded, put together, without secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ctxtui.capture.decoding import End, decoded
from ctxtui.capture.tape import ENCODING, LONGEST, MIB, Call
from ctxtui.core.errors import Refused, wrong_type
from ctxtui.core.formats.bodies import Assembled, assembled
from ctxtui.core.formats.fields import is_object
from ctxtui.core.formats.json_text import NO_NUMBERS, read_dirty_json
from ctxtui.core.formats.requests import TIMINGS
from ctxtui.core.formats.warnings import FormatWarning, WarningCollector, without_values
from ctxtui.core.requests.exchange import SUCCESS, Exchange, Outcome, RemovedSecrets
from ctxtui.core.requests.secrets import SecretCleaner, SecretMemory

MOST = f"{LONGEST // MIB} MiB"
LEFT_OUT: dict[End, str] = {"damaged": "answer-damaged", "too large": "answer-unpacks-too-large"}
"""The warnings about a packed answer."""
PACKED: dict[End, str] = {
    "cut": "the packed request is cut off",
    "damaged": "the packed request is damaged",
    "too large": f"the request unpacks to more than {MOST}, the most that is recorded",
}
NOTHING = Assembled(None, "failed")


class Answer(NamedTuple):
    """What came back, by the names that it has in an exchange."""

    response: Mapping[str, Any] | None
    status: int | None
    outcome: Outcome
    envelope: Mapping[str, Any] | None = None
    warnings: tuple[Mapping[str, Any], ...] = ()
    removed: RemovedSecrets = RemovedSecrets()


def read_request(call: Call, memory: SecretMemory) -> tuple[SecretCleaner, Exchange]:
    """Return an exchange that has no answer yet, and what cleans that; refuse what is none."""
    tape = call.asked
    if tape.is_too_long:
        raise _too_long(tape.size)
    odd: list[str] = []
    content, end = decoded(tape.content, call.headers.get(ENCODING, ""))
    if end != "whole":
        raise Refused(PACKED[end], field="body")
    request = read_dirty_json(content, odd.append)
    if not is_object(request):
        raise wrong_type("request", request, "an object with messages")
    cleaner = SecretCleaner(memory)
    asked = Exchange(
        request=request,
        kind=call.kind,
        path=call.path,
        headers=call.headers,
        time=call.time,
        tag=call.tag,
        warnings=(FormatWarning.of(NO_NUMBERS, dict.fromkeys(odd)).to_dict(),) if odd else (),
    )
    return cleaner, cleaner.clean(asked)


def read_answer(call: Call, content: bytes, cleaner: SecretCleaner) -> Answer:
    """Return what came back; what can't be read is none: the request is worth keeping all the same.

    The content is given, since more of it may be coming while it is read.
    """
    if call.status is None:
        return Answer(None, None, NOTHING.outcome)
    warnings = WarningCollector()
    if call.answered.is_too_long:
        warnings.add("answer-too-long")
    found = Assembled(None, "cut")
    try:
        content, end = decoded(content, call.answer_headers.get(ENCODING, ""))
        if end in LEFT_OUT:
            warnings.add(LEFT_OUT[end])
        found = assembled(call.kind, content, warnings.add)
    except Refused as refusal:
        warnings.add("answer-unreadable", None, without_values(refusal))
    outcome = found.outcome
    if call.status not in SUCCESS:
        outcome = "failed"
    elif warnings.found() and outcome == "complete":
        outcome = "cut"
    cleaner.note_answer_headers(call.answer_headers)
    response, removed = None, RemovedSecrets()
    if found.answer is not None:
        response, removed = cleaner.clean_answer(found.answer)
    noted = tuple(one.to_dict() for one in warnings.found())
    return Answer(response, call.status, outcome, _timed(call), noted, removed)


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
