"""The session of a growing file: what comes into the file is added to it, and nothing twice."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from ctxtui.core import Conversation, Refused
from ctxtui.core.engine.messages import Message
from ctxtui.core.formats.follow_file import Growth, Tail
from ctxtui.core.storage import Session

LATER = "what was said later"
"""How a batch is described in which the file went on in another way."""


class FileFollower:
    """Adds what comes into a file to its session, once; what a user hides in it stays hidden.

    It has the two halves of a follower of sessions: ``read`` for a thread, ``apply`` for whoever
    shows the session. What was applied still has to be saved.
    """

    def __init__(self, session: Session, tail: Tail, placed: Sequence[int]) -> None:
        self.session = session
        self._tail = tail
        self._placed = list(placed)
        """The raw index of each message that the file shows."""
        self._waiting: deque[Growth] = deque()
        self._refused: str | None = None

    @property
    def name(self) -> str:
        """Return what the file is called."""
        return self._tail.path.name

    @property
    def problem(self) -> str | None:
        """Return why nothing new is read, for now or for good."""
        return self._refused or self._tail.problem

    @property
    def is_over(self) -> bool:
        """Tell whether following has ended for good."""
        return self._refused is not None or self._tail.is_over

    @property
    def is_written(self) -> bool:
        """Tell whether more may come: who writes a file is not known."""
        return not self.is_over

    def read(self) -> int:
        """Read what has come into the file; return how many pieces of it wait to be applied."""
        growth = None if self.is_over else self._tail.look()
        if growth is not None:
            self._waiting.append(growth)
        return len(self._waiting)

    def apply(self, most: int | None = None) -> int:
        """Do to the session what was read; return how many changes that took."""
        done = 0
        while self._waiting and (most is None or done < most):
            done += self._apply(self._waiting.popleft())
        return done

    def close(self) -> None:
        """Close the session."""
        self.session.close()

    def look(self) -> int:
        """Read and apply what has come."""
        self.read()
        return self.apply()

    def _refuse(self, why: str) -> None:
        """Follow no longer, for a reason that is not the file's."""
        self._refused = f"{self._tail.path} is no longer followed: {why}"

    def _apply(self, growth: Growth) -> int:
        if growth.exchanges:
            self._refuse("its lines turned out to be requests; follow it again")
            return 0
        shown = self._placed[: growth.kept]
        gone = self._placed[growth.kept :]
        done, fresh = self._change(gone, growth.messages, has_summary=growth.has_summary)
        self._placed = [*shown, *fresh]
        return done

    def rejoin(self, fresh: Conversation) -> int:
        """Bring a session that was made from the file before up to what the file says by now.

        What the session has of the file is known by what it says, in the order it was said.
        """
        conversation, shown = self.session.conversation, set(fresh.view)
        known = found_in(conversation, fresh.log)
        gone = [at for raw, at in known.items() if raw not in shown]
        gone += beginnings_in(conversation, fresh.log, known)
        news = [raw for raw in fresh.view if raw not in known]
        has_summary = fresh.batch.number > 0 and news[:1] == [fresh.batch.boundary]
        messages = [fresh.log[raw] for raw in news]
        done, made = self._change(gone, messages, has_summary=has_summary)
        places = {**known, **dict(zip(news, made, strict=True))} if made or not news else known
        self._placed = [places[raw] for raw in fresh.view if raw in places]
        return done

    def _change(
        self, gone: Sequence[int], messages: Sequence[Message], *, has_summary: bool
    ) -> tuple[int, range]:
        """Hide some messages and add others; return how many changes, and which raw indices."""
        conversation = self.session.conversation
        before, start = len(conversation.journal), len(conversation.log)
        visible = [raw for raw in gone if raw in conversation.view]
        steps = self._steps(visible, messages, has_summary)
        try:
            if steps:
                self.session.change(steps if len(steps) > 1 else steps[0])
        except Refused as problem:
            self._refuse(str(problem))
        return len(conversation.journal) - before, range(start, len(conversation.log))

    def _steps(
        self, gone: Sequence[int], messages: Sequence[Message], has_summary: bool
    ) -> list[dict[str, Any]]:
        """Return the operations after which the session shows what the file does.

        An answer that went on takes the place of its beginning, and a summary that of everything
        before it; other messages that the file no longer shows are hidden.
        """
        news = [message.to_dict() for message in messages]
        steps: list[dict[str, Any]] = []
        if gone and news and has_summary:
            steps.append({"operation": "COMPRESS", "indices": gone, "summary": news.pop(0)})
        elif gone and news and self._goes_on(gone, messages[0]):
            steps.append({"operation": "REPLACE", "indices": gone, "messages": [news.pop(0)]})
        elif gone:
            steps.append({"operation": "DELETE", "indices": gone, "description": LATER})
        if news:
            steps.append({"operation": "APPEND", "messages": news})
        return steps

    def _goes_on(self, gone: Sequence[int], first: Message) -> bool:
        """Tell whether a message is what the one that went has become."""
        log = self.session.conversation.log
        return len(gone) == 1 and log[gone[0]].role == first.role


def found_in(conversation: Conversation, messages: Sequence[Message]) -> dict[int, int]:
    """Return where messages are in a log that has some of them in the same order, by their place.

    A message that is there twice is found at two places.
    """
    places: dict[tuple[str, str], deque[int]] = {}
    for raw, message in enumerate(conversation.log):
        places.setdefault((message.role, message.text), deque()).append(raw)
    found: dict[int, int] = {}
    for place, message in enumerate(messages):
        alike = places.get((message.role, message.text), ())
        for raw in alike:
            if conversation.log[raw] == message:
                found[place] = raw
                places[message.role, message.text].remove(raw)
                break
    return found


def beginnings_in(
    conversation: Conversation, messages: Sequence[Message], known: Mapping[int, int]
) -> list[int]:
    """Return what is visible of messages that were not whole yet when they were read."""
    taken = set(known.values())
    fresh = [message for place, message in enumerate(messages) if place not in known]
    return [
        raw
        for raw in conversation.view
        if raw not in taken and any(_is_beginning(conversation.log[raw], one) for one in fresh)
    ]


def _is_beginning(one: Message, other: Message) -> bool:
    size = len(one.parts)
    return one.role == other.role and size < len(other.parts) and one.parts == other.parts[:size]
