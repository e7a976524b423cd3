"""Recorded runs for tests of watching: each thread is a session that somebody writes."""

from __future__ import annotations

from typing import Any

from ctxtui.core.formats.bodies import BodyReader
from ctxtui.core.requests.exchange import Exchange
from ctxtui.core.requests.recording import Recorder
from ctxtui.core.storage import Library, Session, ThreadPlace
from tests.core.requests.traffic import Row, answer, called, chat, result, said
from tests.ui.opening import LONG_AGO

SYSTEM = said("system", "You are a coding agent. Keep changes small, and run the tests.")
TASK = "Find every place where the retry limit is written down."
TOOLS: list[Row] = [
    {"type": "function", "function": {"name": name, "parameters": {}}} for name in ("look", "agent")
]


class Writer:
    """Writes the threads of a run into a library, as a proxy does; ``sessions`` are by thread."""

    def __init__(self, library: Library, program: str = "coder.py", run: str = "run1") -> None:
        self.library, self.program, self.run = library, program, run
        self.recorder = Recorder(BodyReader())
        self.sessions: dict[int, Session] = {}
        self.count = 0

    def send(self, *rows: Row, **more: Any) -> int:
        """Send a request; return its thread."""
        self.count += 1
        more.setdefault("time", LONG_AGO + 1_000 * self.count)
        return self.record(chat(*rows, **more))

    def record(self, exchange: Exchange) -> int:
        """Record an exchange and make it safe; return its thread."""
        thread = self.recorder.record(exchange).thread
        if thread.id not in self.sessions:
            conversation = self.recorder.conversation(thread.id)
            assert conversation is not None
            self.sessions[thread.id] = self.library.create(conversation, title=thread.name)
        for one in self.recorder.threads:
            if one.id in self.sessions:
                self.sessions[one.id].place(ThreadPlace.of(one, self.run, self.program))
                self.sessions[one.id].sync()
        return thread.id

    def close(self) -> None:
        """Leave all sessions to others."""
        for session in self.sessions.values():
            session.close()


def measured(text: str, cached: int) -> Row:
    """Return the answer to a request of which so many of a thousand tokens were cached."""
    details = {"cached_tokens": cached}
    usage = {"prompt_tokens": 1_000, "completion_tokens": 9, "prompt_tokens_details": details}
    return {**answer(text), "usage": usage}


class Talk:
    """A conversation of a writer that goes on and on."""

    def __init__(self, writer: Writer, first: str, **more: Any) -> None:
        self.writer, self.more = writer, more
        self.rows = [SYSTEM, said("user", first)]

    def go_on(self, turns: int = 1, cached: int = 930) -> int:
        """Send so many requests, each with what came of the one before; return the thread."""
        thread = -1
        for _ in range(turns):
            text = f"Answer {self.writer.count}: the limit is read once, at import."
            reply = measured(text, cached)
            thread = self.writer.send(*self.rows, response=reply, tools=TOOLS, **self.more)
            self.rows += [said("assistant", text), said("user", f"go on {self.writer.count}")]
        return thread

    def trim(self, count: int) -> None:
        """Let the oldest messages go, the system's aside."""
        self.rows = [self.rows[0], *self.rows[1 + count :]]


def run_with_agents(library: Library) -> Writer:
    """Return a run: a conversation with an agent and two side calls, and another conversation."""
    writer = Writer(library)
    talk = Talk(writer, "Make the retry limit a setting.", tag="coder")
    talk.go_on(3)
    calls = called("c1", f'{{"task": "{TASK}"}}', name="agent")
    writer.send(*talk.rows, response=answer(calls), tools=TOOLS, tag="coder")
    agent = said("system", "You search.")
    found = "It is in settings.py and in retry.py, and nowhere else."
    writer.send(agent, said("user", TASK), response=answer(found), tools=TOOLS[:1])
    talk.rows += [calls, result("c1", found)]
    failed = {"response": None, "outcome": "failed", "status": 503}
    writer.send(*talk.rows, tools=TOOLS, tag="coder", **failed)
    talk.go_on(2)
    count = {"path": "/v1/responses/input_tokens", "kind": "chat"}
    writer.send(*talk.rows, tools=TOOLS, tag="coder", response=None, **count)
    talk.trim(3)
    talk.go_on(1, cached=70)
    Talk(writer, "Answer the customer.", tag="triage").go_on(2)
    return writer


def cut_talk(library: Library, before: int, after: int) -> Talk:
    """Return a conversation whose oldest messages went after some calls, which broke the cache."""
    talk = Talk(Writer(library), "Make the retry limit a setting.", tag="coder")
    talk.go_on(before)
    talk.trim(3)
    talk.go_on(after, cached=70)
    return talk
