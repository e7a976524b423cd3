"""Strategies of other people's code, over a run: their own process, and what it sends at each call.

``strategy_host.py`` runs in the Python that has the framework, and is spoken to over a pipe. Every
message travels with a key, so what was hidden, rewritten, made or moved is known, not guessed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from ..conversation.conversation import Conversation
from ..engine.messages import Message, ThinkingPart, ToolResultPart
from ..engine.state import StateAtRevision
from ..engine.views import EMPTY, View
from ..errors import Refused
from ..formats.openai import read_chat, write_chat
from ..values.frozen import thaw
from .figures import CallFigures, RefusedCall
from .runs import CallEvaluator, SimulationConfig, StateAtCall
from .simulation import PolicyRun

HOST = Path(__file__).with_name("strategy_host.py")
STATES = ("fresh", "kept")
"""What a plain function gets: the whole run, or what it sent last and what is new."""
TRIED = 50
"""Calls over which both states of a strategy are compared, if none is asked for."""
MOST_ERROR = 300

Row = dict[str, Any]


class StrategyProcess:
    """A strategy in its own process; ends with the block."""

    def __init__(self, named: str, python: str, opened: Row) -> None:
        self.named = named
        self._errors = TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 - closed with the process
        try:
            self._process = subprocess.Popen(
                [python, str(HOST)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                encoding="utf-8",
            )
        except OSError as error:
            self._errors.close()
            raise Refused(f"{python} can't be started: {error.strerror}", "python") from None
        try:
            self.about = self.ask({"open": {"strategy": named, **opened}})
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> StrategyProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def ask(self, question: Row) -> Row:
        """Return the answer to a question, or refuse with what went wrong over there."""
        process = self._process
        answer = ""
        if process.stdin is not None and process.stdout is not None:
            with suppress(BrokenPipeError):
                process.stdin.write(json.dumps(question, ensure_ascii=False) + "\n")
                process.stdin.flush()
                answer = process.stdout.readline()
        if not answer:
            process.wait()
            self._errors.seek(0)
            last = "".join(self._errors.read().strip().splitlines()[-1:])[:MOST_ERROR]
            code = f"with exit code {process.returncode}"
            raise Refused(f"{self.named} ended {code}{f': {last}' if last else ''}", "strategy")
        data: Row = json.loads(answer)
        if "error" in data:
            raise Refused(f"{self.named}: {str(data['error'])[:MOST_ERROR]}", "strategy")
        return data


class ForeignRun:
    """A strategy's requests, as views of one log: the run first, then what the strategy made."""

    def __init__(self, config: SimulationConfig) -> None:
        run = config.run
        settings = run.state.head.settings
        self._config = config
        self._conversation = Conversation((), settings)
        self._conversation.execute(config.additions(0, len(run.messages), 0))
        self._made: dict[str, range] = {}
        self._rows = [self._chat(place, one) for place, one in enumerate(run.messages)]
        self.views: list[View] = []
        self.error: RefusedCall | None = None

    def _chat(self, place: int, message: Message) -> list[Row]:
        rows, _ = write_chat([(place, message)])
        total = self._config.run.counts[place]
        shares = [total - total // len(rows) * (len(rows) - 1), *[total // len(rows)] * len(rows)]
        return [
            {"key": f"{place}.{number}", "message": thaw(row), "tokens": shares[number]}
            for number, row in enumerate(rows)
        ]

    def walk(self, process: StrategyProcess, calls: int | None = None) -> None:
        """Ask for what is sent at every call; a strategy that raises ends there."""
        reached = 0
        for number, point in enumerate(self._config.run.calls[:calls], 1):
            new = [row for rows in self._rows[reached : point.at] for row in rows]
            reached = point.at
            try:
                sent = process.ask({"call": new})["sent"]
                self.views.append(View.of(self._raws(sent)))
            except Refused as refusal:
                self.error = RefusedCall(number, str(refusal))
                return

    def _raws(self, sent: Sequence[Any]) -> Iterator[int]:
        """Yield the raw index of each message that is sent, and add those that are new."""
        at = 0
        while at < len(sent):
            item = sent[at]
            key = item if isinstance(item, str) else item.get("key")
            if key is None:
                yield from self._added([item["message"]])
                at += 1
                continue
            place = int(key.partition(".")[0])
            whole = self._rows[place]
            same = [one["key"] for one in whole]
            if list(sent[at : at + len(same)]) == same:
                yield place
                at += len(same)
                continue
            stop = at
            while stop < len(sent) and _place(sent[stop]) == place:
                stop += 1
            by_key = {one["key"]: one["message"] for one in whole}
            yield from self._added(
                [by_key[one] if isinstance(one, str) else one["message"] for one in sent[at:stop]]
            )
            at = stop

    def _added(self, rows: list[Row]) -> range:
        """Return the raw indices of what a strategy made, the same for equal messages."""
        key = json.dumps(rows, sort_keys=True)
        if key not in self._made:
            size = len(self._conversation.log)
            messages = [one.to_dict() for one in read_chat(rows)[0]]
            self._conversation.execute({"operation": "APPEND", "messages": messages})
            self._made[key] = range(size, len(self._conversation.log))
        return self._made[key]

    def texts(self, view: View) -> list[Row]:
        """Return what a provider would read of a request."""
        return _read(self._conversation.log[raw] for raw in view)

    def judged(self, name: str) -> PolicyRun:
        """Return the figures of every call that the strategy was asked before."""
        config, judge = self._config, CallEvaluator(self._config.profile)
        state = self._conversation.moment
        marked = {raw for one in config.required_labels for raw in state.head.marks.get(one, EMPTY)}
        calls: list[CallFigures] = []
        sent: list[StateAtRevision] = []
        before = EMPTY
        places = (point.at for point in config.run.calls)
        for number, (view, at) in enumerate(zip(self.views, places, strict=False), 1):
            now = StateAtCall(state, state.head, view, len(state.log))
            must = [raw for raw in marked if raw < at]
            acted = view != View.of(range(at)) and (number == 1 or view[: len(before)] != before)
            calls.append(judge.judge(number, now, before, must, acted=acted))
            sent.append(now)
            before = view
        figures = config.figures(name, calls)
        return PolicyRun(None, config, replace(figures, error=self.error), sent.__getitem__)


def _place(item: Any) -> int | None:
    key = item if isinstance(item, str) else item.get("key")
    return None if key is None else int(key.partition(".")[0])


def run_strategy(
    config: SimulationConfig, named: str, python: str | None = None, state: str | None = None
) -> tuple[PolicyRun, str | None]:
    """Return what a strategy sends at every call, and what is to be said about it.

    ``named`` is ``MODULE:NAME`` or ``FILE.py:NAME``, with literal arguments if there are any. A
    plain function gets the whole run (``fresh``) or what it sent last and what is new (``kept``).
    """
    opened = {
        "limit": config.settings.token_limit,
        "counter": config.run.state.counter,
    }
    note, interpreter = None, python or sys.executable

    def walked(kind: str, calls: int | None = None) -> tuple[ForeignRun, Row]:
        run = ForeignRun(config)
        with StrategyProcess(named, interpreter, {**opened, "state": kind}) as process:
            run.walk(process, calls)
        return run, process.about

    found, about = walked(state or "fresh")
    if state is None and about["hasState"] and about["kind"] == "function":
        kept, _ = walked("kept", TRIED)
        differing = [
            number
            for number, (one, other) in enumerate(zip(found.views, kept.views, strict=False), 1)
            if found.texts(one) != kept.texts(other)
        ]
        if differing:
            note = (
                f"{named} sends something else from call {differing[0]} on if it gets what it sent "
                "last: this is the whole run every time; --state kept is the other"
            )
    return found.judged(named), note


def equal_requests(one: PolicyRun, other: PolicyRun) -> tuple[int, int]:
    """Return how many requests of two are equal, and of how many."""
    calls = min(one.figures.calls, other.figures.calls)
    equal = sum(
        _read(one.at(call).visible) == _read(other.at(call).visible) for call in range(1, calls + 1)
    )
    return equal, calls


def _read(messages: Iterable[Message]) -> list[Row]:
    return [thaw(row) for row in write_chat(enumerate(messages))[0]]


def request_messages(run: PolicyRun, call: int) -> list[Row]:
    """Return what a call sends as chat messages, with thinking and failed results marked."""
    found: list[Row] = []
    for message in run.at(call).visible:
        rows = _read([Message(message.role, message.content)])
        failed = {
            part.tool_use_id
            for part in message.parts
            if isinstance(part, ToolResultPart) and part.is_error
        }
        thoughts = [part.text for part in message.parts if isinstance(part, ThinkingPart)]
        for row in rows:
            if row.get("tool_call_id") in failed:
                row["is_error"] = True
            if thoughts and row["role"] == "assistant":
                row["reasoning_content"] = "\n\n".join(thoughts)
        found += rows
    return found
