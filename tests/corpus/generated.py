"""Conversations made up for tests and for measuring: of any number, always the same for a seed.

They look as an agent's do: a system prompt, questions, calls of tools with their results, answers.
Some lack a result or hold a stranger's, some are identical or nearly so, some lines are broken.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import orjson

SYSTEM = "You are a helpful agent of a parcel service. Look things up before you answer. "
TEXT = """\
the parcel was left with a neighbour on Monday and nobody rang the bell although the van stood
in front of the house for a while please look whether the driver noted anything and tell me
when it can be delivered again or where I could fetch it myself thank you very much customs
asks for an invoice the weight differs from what was declared the label is torn refund address
tracking depot route signature window delay damaged missing return locker"""
WORDS = TEXT.split()
TOOLS = ("look_up_parcel", "find_depot", "driver_notes", "refund", "open_ticket")
LINES_OF_RESULT = 12


def sentence(chance: Random, words: int) -> str:
    """Return so many words."""
    return " ".join(chance.choices(WORDS, k=words)).capitalize() + "."


def conversation(number: int, seed: int = 18, turns: int | None = None) -> list[dict[str, Any]]:
    """Return the messages of one conversation; each tenth is like the one ten before it."""
    chance = Random(f"{seed}-{number}")
    if number >= 10 and number % 10 == 9:
        like = conversation(number - 10 if number % 20 == 9 else number - 1, seed, turns)
        if number % 20 == 9:
            return like  # Identical.
        like[-1] = {**like[-1], "content": f"{like[-1]['content']} Yours, {number}"}
        return like  # Nearly so.
    messages: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM * 4}]
    for turn in range(turns if turns is not None else 2 + chance.randrange(6)):
        asked = f"{sentence(chance, 20 + chance.randrange(40))} Mail me at p{number}@mail.example."
        messages.append({"role": "user", "content": asked})
        if turn % 2 == 0:
            messages += _exchange(chance, number, turn)
        messages.append({"role": "assistant", "content": sentence(chance, 60)})
    if number % 50 == 7:
        messages = [one for one in messages if one["role"] != "tool"]  # Calls without results.
    return messages


def _exchange(chance: Random, number: int, turn: int) -> Iterator[dict[str, Any]]:
    ids = [f"call_{number}_{turn}_{place}" for place in range(1 + chance.randrange(2))]
    calls = [
        {
            "id": id,
            "type": "function",
            "function": {
                "name": chance.choice(TOOLS),
                "arguments": f'{{"parcel": "{chance.randrange(10**8)}", "reason": "asked"}}',
            },
        }
        for id in ids
    ]
    yield {"role": "assistant", "content": None, "tool_calls": calls}
    for id in ids:
        rows = [sentence(chance, 24) for _ in range(LINES_OF_RESULT)]
        yield {"role": "tool", "tool_call_id": id, "content": "\n".join(rows)}


def line(number: int, seed: int = 18, turns: int | None = None) -> bytes:
    """Return a conversation as a line of a file; a few are broken."""
    if number % 1_000 == 501:
        return b'{"messages": [{"role": "user", "content": "cut o\n'
    if number % 1_000 == 502:
        return b'{"messages": [{"role": "nobody"}]}\n'
    return orjson.dumps({"messages": conversation(number, seed, turns)}) + b"\n"


def write(path: Path, count: int, *, first: int = 0, seed: int = 18) -> None:
    """Write a file of so many conversations."""
    with path.open("wb") as file:
        file.writelines(line(number, seed) for number in range(first, first + count))
