"""Bodies that can't be kept as they were sent: what is lost of them is little, and told."""

from __future__ import annotations

import asyncio
import gc
import json
from typing import Any

import pytest

from ctxtui.calls.models.call import warning_words
from ctxtui.capture.running import _failed
from ctxtui.core.formats.requests import Requests
from ctxtui.core.formats.warnings import sentences
from tests.capture.conftest import CHAT, Rig, asking

SECRET = "a-secret"


async def test_a_number_that_json_has_not_is_told_also_when_the_call_is_exported(rig: Rig) -> None:
    body = json.dumps(asking(temperature=float("nan"), top_p=float("inf"), seed=float("nan")))
    await rig.ask(data=body)
    await rig.until(1)
    told = "NaN and Infinity were read as null: NaN, Infinity"
    (call,) = rig.conversation().calls
    assert call.wire is not None
    assert warning_words(call.wire["warnings"]) == (told,)
    written = Requests().write(rig.conversation())
    assert sentences(written.warnings) == (told,)
    assert '"temperature": null' in written.text


async def test_a_parameter_that_is_nested_too_deep_is_left_out_of_its_call(rig: Rig) -> None:
    deep: Any = "bottom"
    for _ in range(150):
        deep = [deep]
    await rig.ask(json=asking(odd=deep, seed=7), headers={"authorization": "Bearer k-0123456789ab"})
    await rig.until(1)
    assert rig.conversation().calls[0].parameters == {"seed": 7}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (f'"{SECRET}"', "request … is not an object with messages"),
        (f'{{"messages": "{SECRET}"}}', "messages … is not a list of chat messages"),
        (f'{{"messages": "it\'s {SECRET}"}}', "messages … is not a list of chat messages"),
        (f'{{"messages": "{SECRET * 20}"}}', "messages … is not a list of chat messages"),
        (f'{{"messages": {SECRET}', "it is not JSON: Expecting value at line 1, column 14"),
    ],
)
async def test_why_a_call_is_not_recorded_is_told_without_its_body_and_its_key(
    rig: Rig, body: str, reason: str
) -> None:
    await rig.ask(f"{CHAT}?key={SECRET}", data=body.encode())
    await rig.until(1)
    assert rig.lost[0].path == CHAT
    assert rig.lost[0].reason.replace(" (160 characters)", "") == reason


async def test_an_encoding_that_is_unknown_is_not_repeated(rig: Rig) -> None:
    await rig.ask(headers={"Content-Encoding": SECRET}, data=b"x")
    await rig.until(1)
    assert SECRET not in rig.lost[0].reason


async def test_what_goes_wrong_with_a_copy_is_not_printed_with_what_it_says_of_it(
    rig: Rig,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    def failing(*_: object) -> None:
        raise ValueError(SECRET)

    monkeypatch.setattr("ctxtui.capture.keeper.read_answer", failing)
    await rig.ask()
    await rig.until(1)
    gc.collect()
    await asyncio.sleep(0)
    assert caplog.text == ""
    assert capfd.readouterr() == ("", "")
    assert rig.lost[0].reason == "the recorder failed with ValueError"


def test_an_error_that_nothing_handles_is_reported_by_its_kind() -> None:
    told: list[str] = []
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *given: _failed(told.append, *given))
    loop.call_soon(lambda: (_ for _ in ()).throw(ValueError(SECRET)))
    loop.call_soon(loop.stop)
    loop.run_forever()
    loop.close()
    assert told == ["a connection failed with ValueError"]
