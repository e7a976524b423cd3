"""Recorded calls for the tests of the call screen: an agent whose framework cuts and changes."""

from __future__ import annotations

from typing import Any

from ctxtui.core import Conversation
from ctxtui.core.formats.bodies import BodyReader
from ctxtui.core.requests import Recorder
from tests.core.requests.traffic import Row, answer, called, chat, result, said
from tests.ui.opening import LONG_AGO

NAMES = ("read_file", "edit_file", "grep", "git", "run_tests", "run", "ask_user")
WORDS = "Reads what there is, and says so in plain words that take some room. " * 3


def tool(name: str, about: str = WORDS) -> Row:
    """Return the definition of a tool."""
    inner = {"name": name, "description": about, "parameters": {"type": "object"}}
    return {"type": "function", "function": inner}


def tools(*names: str) -> list[Row]:
    """Return definitions by name."""
    return [tool(name) for name in names]


def usage(sent: int, cached: int, out: int = 40) -> dict[str, Any]:
    """Return what a provider counted, as a chat says it."""
    return {
        "prompt_tokens": sent,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens": out,
    }


def coder() -> Conversation:
    """Return a path of five calls: the last one lost a tool and its oldest messages.

    Call 4 only went on from call 3. In call 5 ``run_tests`` is gone, the temperature is another
    one, and a result is left whose call was cut off.
    """
    recorder = Recorder(BodyReader(), clock=lambda: LONG_AGO)
    rows: list[Row] = [said("system", "You mend code. " * 20), said("user", "Mend it. " * 10)]
    for turn in range(4):
        reply = called(f"call-{turn}", name="run_tests")
        counted = usage(650 + 105 * turn, 0 if not turn else 512 + 128 * (turn // 2))
        body = chat(
            *rows,
            response={**answer(reply, f"chatcmpl-{turn}"), "usage": counted},
            tools=tools(*NAMES),
            temperature=0,
            path="/v1/chat/completions",
            status=200,
            time=LONG_AGO + 4_000 * turn,
        )
        recorder.record(body)
        rows += [reply, result(f"call-{turn}", f"failed {turn}: " + "no such file " * 30)]
    last = chat(
        rows[0],
        *rows[3:],
        response={**answer("Done.", "chatcmpl-9"), "usage": usage(965, 256)},
        tools=tools(*(name for name in NAMES if name != "run_tests")),
        temperature=0.2,
        path="/v1/chat/completions",
        status=200,
        time=LONG_AGO + 20_000,
    )
    recorder.record(last)
    conversation = recorder.conversation(0)
    assert conversation is not None
    return conversation
