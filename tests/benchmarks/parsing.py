"""Reading files of other programs, against merely parsing the same bytes as JSON."""

from __future__ import annotations

from typing import Any

import orjson

from ctxtui.core import Conversation
from ctxtui.core.formats import FORMATS, Source, format_named, load_all
from tests.benchmarks.clock import seconds
from tests.benchmarks.logs import settled
from tests.benchmarks.processes import apart
from tests.benchmarks.table import Report, Target, show, size_name, times

NAMES = ("openai", "anthropic", "claude-code", "sharegpt", "chatgpt")
"""The formats that most files are in."""
MESSAGES, ROUNDS = 20_000, 3
MOST = 4.0
WORDS = (
    "the lock belongs to the event loop that created it, so a second test that starts a loop of "
    "its own waits for ever; create it where it is first used and pass it on. "
)


def turns(count: int) -> list[dict[str, Any]]:
    """Return an agent's run: a question, a call, its result of a screenful, an answer."""
    messages: list[dict[str, Any]] = []
    for i in range(count // 4):
        call = {"id": f"call_{i}", "name": "read_file", "input": {"path": f"src/file_{i}.py"}}
        result = {"tool_use_id": f"call_{i}", "content": f"{i}: {WORDS * 8}"}
        messages += [
            {"role": "user", "content": f"What about file {i}? {WORDS}"},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": f"I read it first. {WORDS}"},
                    {"type": "tool_use", "tool_use": call},
                ],
            },
            {"role": "tool", "content": [{"type": "tool_result", "tool_result": result}]},
            {"role": "assistant", "content": f"File {i} is fine: {WORDS * 3}"},
        ]
    return messages


def measure(name: str) -> tuple[int, float, float]:
    """Return the bytes of a file, and the best times to parse them and to read them."""
    content = format_named(name).write(Conversation(turns(MESSAGES))).text.encode()
    lines = content.splitlines()
    kept: list[Any] = []

    def parse() -> None:
        kept[:] = [orjson.loads(line) for line in lines]

    def read() -> None:
        kept[:] = list(load_all(Source.of_bytes(content)))

    with settled():
        parsed = min(seconds(parse) for _ in range(ROUNDS))
        found = min(seconds(read) for _ in range(ROUNDS))
    assert kept[0].format == name
    return len(content), parsed, found


def report(out: Report) -> None:
    """Measure, print the table and note the targets."""
    written = {known.name for known in FORMATS if known.writes}
    rows = []
    for name in NAMES:
        if name not in written:
            continue
        size, parsed, read = apart(measure, name)
        ratio = read / parsed
        target = Target(f"reading {name} against parsing its JSON", ratio, "×", MOST)
        rate = f"{size / read / 1e6:.0f} MB/s"
        rows.append([name, f"{size / 1e6:.1f} MB", rate, times(ratio), out.judge(target)])
    show(
        f"Formats: a run of {size_name(MESSAGES)} messages read and checked, tokens counted",
        ["against orjson.loads of the same bytes"],
        ["format", "file", "read", f"ratio, aim ≤ {MOST:g}×", ""],
        rows,
    )
