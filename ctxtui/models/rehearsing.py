"""Rehearsals: a policy's own conversation as it stands when a call is made, as a new session."""

from __future__ import annotations

from typing import NamedTuple

from ctxtui.core import Conversation
from ctxtui.core.policies import Policy
from ctxtui.core.policies.runs import Question
from ctxtui.core.policies.simulation import conversation_at
from ctxtui.core.storage import Library, Session
from ctxtui.models.places import Spot


class Rehearsal(NamedTuple):
    """What is to be opened: a call of a run under a policy, and where to look first."""

    question: Question
    policy: Policy
    call: int
    title: str
    spot: Spot | None = None

    @property
    def name(self) -> str:
        """Return what the session is called."""
        return f"{self.title} · {self.policy.name}, call {self.call}"

    def conversation(self) -> Conversation:
        """Return the conversation, which says where it comes from."""
        origin = {
            "conversation": self.title,
            "policy": self.policy.to_dict(),
            "call": self.call,
        }
        return conversation_at(
            self.question, self.policy, self.call, meta={"title": self.name, "origin": origin}
        )


def rehearse_beside(library: Library, rehearsal: Rehearsal) -> Session:
    """Return a session of a rehearsal, beside the one whose run it plays."""
    session = library.create(rehearsal.conversation(), title=rehearsal.name)
    calls = len(rehearsal.question.run.calls)
    told = f"Simulated: {rehearsal.policy.name} at call {rehearsal.call:,} of {calls:,}."
    session.notes = (*session.notes, f"{told} {rehearsal.title} stays as it was.")
    return session
