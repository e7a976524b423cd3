"""What ``--ops`` holds: operations of one recipe or several, or a policy that acts once if due."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ctxtui.core import Conversation, Result
from ctxtui.core.policies import Policy
from ctxtui.files.opening import open_recipe_or_policy
from ctxtui.files.reading import Unreadable
from ctxtui.models.applying import act_on
from ctxtui.words import plural


class Ops(NamedTuple):
    """Operations, or a policy in their place."""

    steps: tuple[Any, ...]
    policy: Policy | None = None

    def act(self, conversation: Conversation) -> list[Result]:
        """Change a conversation, all of it or nothing; nothing comes of a policy that is not due.

        A policy does what it would do before the next call.
        """
        if self.policy is not None:
            return list(act_on(self.policy, conversation))
        return [conversation.execute(list(self.steps))]

    def due(self, conversation: Conversation) -> bool:
        """Tell whether anything is to be done before the next call."""
        return self.policy is None or self.policy.is_due(conversation)

    def sentence(self, results: Sequence[Result], size: int, *, was_due: bool) -> str:
        """Return what came of it."""
        what = f"policy {self.policy.name}" if self.policy else plural(len(self.steps), "operation")
        visible = f"{what}: {plural(size, 'message')} visible"
        if not results:
            return f"{visible}, {'nothing changes' if was_due else 'it is not due'}"
        first, last = results[0].tokens, results[-1].tokens
        batch = results[-1].affected_batch_index
        return f"{visible}, {first.before} → {last.after} tokens, batch {batch}"

    def to_dict(self, results: Sequence[Result], *, was_due: bool) -> dict[str, Any]:
        """Return what came of it as JSON has it; a policy has a result for each stage."""
        if self.policy is None:
            return results[0].to_dict()
        stages = [one.to_dict() for one in results]
        return {"policy": self.policy.name, "due": was_due, "stages": stages}


def read_ops(paths: Sequence[str]) -> Ops:
    """Return what the files hold; a policy stands alone."""
    steps: list[Any] = []
    for path in paths:
        found = open_recipe_or_policy(path)
        if not isinstance(found, Policy):
            steps += found
        elif len(paths) == 1:
            return Ops((), found)
        else:
            raise Unreadable(f"{path}: a policy is applied alone, and {len(paths)} files are named")
    return Ops(tuple(steps))
