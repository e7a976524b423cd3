"""Random managers: what frameworks do to a history before they send it, and how they write it."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from ctxtui.core.requests.exchange import Exchange
from tests.core.requests.traffic import Row, answer, called, chat, result, said

WORDS = ("ok", "yes", "go on", "the river is wide and slow", "count 12 of 40", "see 09:15")
Rows = list[Row]
Managers = tuple[Callable[["Run", Rows], Rows], ...]


@dataclass
class Run:
    """An agent with its history; every turn is a request, and most bring an answer."""

    chance: Random
    name: str = "a"
    rows: Rows = field(default_factory=list)
    sent: list[Rows] = field(default_factory=list)
    calls: int = 0
    managers: Managers = ()
    is_plain: bool = False
    """Whether nothing is said twice, and every answer is seen."""

    def say(self) -> str:
        """Return something to say, which may have been said before."""
        if self.is_plain:
            return f"{self.name} says thing {self.chance.random()} of many"
        if self.chance.random() < 0.4:
            return self.chance.choice(WORDS)
        return f"{self.name} says thing {self.chance.randrange(1_000)} of many"

    def turn(self) -> Exchange:
        """Return the next exchange: something is said, managed, written and answered."""
        if not self.rows:
            self.rows = [said("system", f"You are {self.name}."), said("user", self.say())]
        manage = self.chance.choice(self.managers or MANAGERS)
        rows = manage(self, [dict(row) for row in self.rows])
        if self.chance.random() < 0.5:
            self.rows = rows
        self.sent.append(rows)
        reply = self._reply()
        body = [written(row, self.chance) for row in rows]
        is_seen = self.is_plain or self.chance.random() < 0.7
        known = answer(reply, f"{self.name}-{len(self.sent)}") if is_seen else None
        self.rows = [*self.rows, reply, *self._next(reply)]
        return chat(*body, response=known)

    def _reply(self) -> Row:
        if self.chance.random() < 0.4:
            self.calls += 1
            return called(
                f"{self.name}{self.calls}", json.dumps({"b": self.calls, "a": self.say()})
            )
        return said("assistant", self.say())

    def _next(self, reply: Row) -> Rows:
        if "tool_calls" not in reply:
            return [said("user", self.say())]
        text = json.dumps({"found": self.say(), "at": [1, 2]})
        return [result(call["id"], text) for call in reply["tool_calls"]]


def kept(run: Run, rows: Rows) -> Rows:
    return rows


def trimmed(run: Run, rows: Rows) -> Rows:
    return [*rows[:1], *rows[1:][-run.chance.randrange(1, 5) :]]


def windowed(run: Run, rows: Rows) -> Rows:
    """Keep the last answer at least, without which nobody could tell whose request this is."""
    return [*rows[:1], *rows[1:][-run.chance.randrange(2, 5) :]]


def cut_behind(run: Run, rows: Rows) -> Rows:
    return rows[: run.chance.randrange(1, len(rows) + 1)]


def cleared(run: Run, rows: Rows) -> Rows:
    results = [row for row in rows if row["role"] == "tool"]
    for row in results[: run.chance.randrange(0, len(results) + 1)]:
        row["content"] = "[cleared]"
    return rows


def summarised(run: Run, rows: Rows) -> Rows:
    size = run.chance.randrange(1, len(rows) + 1)
    return [*rows[:1], said("user", f"Summary: {run.say()}"), *rows[size:]]


def shuffled(run: Run, rows: Rows) -> Rows:
    one, other = run.chance.randrange(len(rows)), run.chance.randrange(len(rows))
    rows[one], rows[other] = rows[other], rows[one]
    return rows


def went_back(run: Run, rows: Rows) -> Rows:
    return [dict(row) for row in run.chance.choice(run.sent)] if run.sent else rows


def holed(run: Run, rows: Rows) -> Rows:
    return [row for row in rows if run.chance.random() < 0.8] or rows


def noted(run: Run, rows: Rows) -> Rows:
    place = run.chance.randrange(len(rows) + 1)
    return [*rows[:place], said("user", f"Note: {run.say()}"), *rows[place:]]


def reworded(run: Run, rows: Rows) -> Rows:
    row = run.chance.choice(rows)
    if isinstance(row["content"], str):
        row["content"] += f" {run.say()}"
    return rows


def doubled(run: Run, rows: Rows) -> Rows:
    return [*rows, dict(run.chance.choice(rows))]


MANAGERS: Managers = (
    *(kept, kept, kept, trimmed, cut_behind, cleared, summarised),
    *(shuffled, went_back, holed, noted, reworded, doubled),
)


def written(row: Row, chance: Random) -> Row:
    """Return the same message, written in another way."""
    row = dict(row)
    ways = chance.randrange(8)
    if ways == 1 and isinstance(row["content"], str):
        row["content"] = [{"type": "text", "text": row["content"]}]
    if ways == 2:
        row["refusal"] = None
    if ways == 3 and isinstance(row["content"], str):
        marker = {"cache_control": {"type": "ephemeral"}}
        row["content"] = [{"type": "text", "text": row["content"], **marker}]
    if ways == 4 and row["role"] == "system":
        row["role"] = "developer"
    if ways == 5 and row["role"] == "tool" and str(row["content"]).endswith("]}"):
        row["content"] = json.dumps(json.loads(row["content"]), sort_keys=True, indent=1)
    if ways == 6 and "tool_calls" in row:
        row["content"] = ""
        row["tool_calls"] = [rewritten_call(call) for call in row["tool_calls"]]
    return row


def rewritten_call(call: Row) -> Row:
    """Return a call whose arguments are written without spaces, and in another order."""
    asked = json.loads(call["function"]["arguments"])
    text = json.dumps(asked, sort_keys=True, separators=(",", ":"))
    return {**call, "function": {**call["function"], "arguments": text}}
