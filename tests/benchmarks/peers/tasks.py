"""What is measured: the tasks, each with its rows, its sizes and what its figures mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tests.benchmarks.peers.rows import Kind

Measure = Literal["time", "disk", "cuts"]
KEPT, NEWEST, LONGEST_CUT = 50, 3, 60
SMALL, MIDDLE, LARGE = 1_000, 10_000, 100_000


@dataclass(frozen=True)
class Task:
    """Something that every library is asked to do with the same rows."""

    key: str
    title: str
    meaning: str
    kind: Kind
    sizes: tuple[int, ...]
    measure: Measure = "time"
    paused: int | None = None
    """The size that is measured again with Python's garbage collector off, for all alike."""

    def is_done(self, size: int, kept: int) -> bool:
        """Tell whether what came out is what was asked for."""
        match self.key:
            case "keep":
                return kept == KEPT
            case "role":
                return kept == NEWEST
            case "trim":
                return size * 2 // 5 <= kept <= size * 3 // 5
        return kept == size


TASKS = (
    Task(
        "build-plain",
        "Build from plain texts",
        "OpenAI chat rows become the library's own messages. *Off* is without Python's "
        "garbage collector; × is the speed beside langchain-core.",
        "plain",
        (SMALL, MIDDLE, LARGE),
        paused=LARGE,
    ),
    Task(
        "build-tools",
        "Build from tool exchanges",
        "The same with an agent's rows: questions, two calls side by side, results, answers.",
        "tools",
        (SMALL, MIDDLE, LARGE),
        paused=LARGE,
    ),
    Task(
        "keep",
        f"Keep the last {KEPT}",
        f"Of so many messages that are built already, the last {KEPT} as a list.",
        "plain",
        (SMALL, MIDDLE, LARGE),
    ),
    Task(
        "trim",
        "Trim to half the tokens",
        "A list of what fits into half of all tokens, by the counter named: the newest messages, "
        "only in autogen-core the first and the last.",
        "plain",
        (SMALL, MIDDLE),
    ),
    Task(
        "role",
        f"The last {NEWEST} of a role",
        f"The newest {NEWEST} messages of the user.",
        "plain",
        (SMALL, MIDDLE, LARGE),
    ),
    Task(
        "replace",
        "Replace one message, every earlier state kept",
        "In memory: one message in the middle is another; the state before can be read again.",
        "plain",
        (SMALL, MIDDLE, LARGE),
    ),
    Task(
        "disk",
        "One more message, confirmed on disk",
        "Time until the call returns, waiting for the disk included, and how much the files grow.",
        "plain",
        (SMALL, MIDDLE),
        "disk",
    ),
    Task(
        "cuts",
        "Cuts that part a call from its result",
        f"A conversation with parallel calls, cut to its last 1…{LONGEST_CUT} messages: how many "
        "of the results a provider would refuse, and how many are empty.",
        "tools",
        (),
        "cuts",
    ),
)
BY_KEY = {task.key: task for task in TASKS}
