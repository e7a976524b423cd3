"""Reading: a call as it passed by becomes an exchange: decoded, put together, without secrets."""

from __future__ import annotations

from core.errors import Refused, not_a
from core.formats.answers import Assembled, assembled
from core.formats.answers.events import read_value
from core.formats.objects import is_object
from core.requests.exchange import GOOD, Exchange
from ctxtui.capture.decoding import decoded
from ctxtui.capture.secrets import keys_of, without_secrets
from ctxtui.capture.tape import LONGEST, MIB, Call, Tape

ENCODING = "content-encoding"
NOTHING = Assembled(None, "failed")


def read_call(call: Call) -> Exchange:
    """Return the exchange of a finished call; refuse one whose request can't be read.

    An answer that can't be read is none: what was asked is worth keeping all the same.
    """
    request = read_value(_content(call.asked, call.headers.get(ENCODING, "")))
    if not is_object(request):
        raise not_a("request", request, "an object with messages")
    answer = _answer(call)
    exchange = Exchange(
        request=request,
        response=answer.answer,
        kind=call.kind,
        path=call.path,
        headers=call.headers,
        status=call.status,
        time=call.time,
        outcome=answer.outcome,
        tag=call.tag,
    )
    return without_secrets(exchange, keys_of(call.headers, call.path))


def _answer(call: Call) -> Assembled:
    if call.status is None:
        return NOTHING
    try:
        content = _content(call.answered, call.answer_headers.get(ENCODING, ""))
        found = assembled(call.kind, content)
    except Refused:
        found = Assembled(None, "cut")
    return found if call.status in GOOD else found._replace(outcome="failed")


def _content(tape: Tape, encodings: str) -> bytes:
    if tape.is_too_long:
        most = LONGEST // MIB
        raise Refused(
            f"a body of {tape.size:,} bytes is longer than {most} MiB, the most that is recorded",
            field="body",
            value=tape.size,
            legal=f"at most {most} MiB",
        )
    return decoded(tape.content, encodings)
