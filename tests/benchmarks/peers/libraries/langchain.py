"""langchain-core: messages, and functions that filter and trim them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.messages import (
    convert_to_messages,
    convert_to_openai_messages,
    filter_messages,
    trim_messages,
)
from langchain_core.messages.utils import count_tokens_approximately

from tests.benchmarks.peers.peer import CutWay, Peer, Way, Work
from tests.benchmarks.peers.rows import Row
from tests.benchmarks.peers.tasks import KEPT, NEWEST


def _build(rows: Sequence[Row]) -> Work:
    return Work(lambda: convert_to_messages(rows))


def _keep(rows: Sequence[Row]) -> Work:
    messages = convert_to_messages(rows)
    return Work(lambda: trim_messages(messages, max_tokens=KEPT, token_counter=len))


def _trim(rows: Sequence[Row]) -> Work:
    messages = convert_to_messages(rows)
    half = count_tokens_approximately(messages) // 2
    return Work(lambda: trim_messages(messages, max_tokens=half, token_counter="approximate"))


def _role(rows: Sequence[Row]) -> Work:
    messages = convert_to_messages(rows)
    return Work(lambda: filter_messages(messages, include_types="human")[-NEWEST:])


def _cut(**options: Any) -> Callable[[Sequence[Row], int], Sequence[Row]]:
    def cut(rows: Sequence[Row], count: int) -> Sequence[Row]:
        messages = convert_to_messages(rows)
        left = trim_messages(messages, max_tokens=count, token_counter=len, **options)
        written: list[Row] = convert_to_openai_messages(left)
        return written

    return cut


BUILD = [Way("`convert_to_messages(rows)`", _build)]
PEER = Peer(
    "langchain-core",
    {
        "build-plain": BUILD,
        "build-tools": BUILD,
        "keep": [Way(f"`trim_messages(max_tokens={KEPT}, token_counter=len)`", _keep)],
        "trim": [Way('`trim_messages(token_counter="approximate")`; characters/4', _trim)],
        "role": [Way(f'`filter_messages(include_types="human")[-{NEWEST}:]`', _role)],
        "replace": "no states",
        "disk": "in other packages",
        "cuts": [
            CutWay("`trim_messages(token_counter=len)`", _cut()),
            CutWay('`trim_messages(…, start_on="human")`, as documented', _cut(start_on="human")),
        ],
    },
)
