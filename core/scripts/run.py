"""Running a script: a report for each step, and the final state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..conversation.conversation import Conversation
from ..conversation.results import TokenChange
from ..engine.dialects import read_operation
from ..engine.messages import METADATA_HINT
from ..engine.revisions import Batch
from ..engine.views import View
from ..errors import Refused, format_value
from ..values.frozen import freeze, same_json, thaw
from .steps import NOTHING, ScriptStep, brief

CHANGING = ("operation", "policy")
ANSWERING = ("query", "policy")
"""The kinds of steps that may change something, and those that give an answer."""


@dataclass(frozen=True, slots=True)
class StepReport:
    """The outcome of one step, and the conversation's state after it.

    ``error`` is the sentence of a step that failed; ``refusal`` that of one that was refused as
    expected. ``answer`` is what a query found, or what a policy did.
    """

    index: int
    kind: str
    given: Any
    ok: bool
    error: str | None
    refusal: str | None
    answer: Any
    batch: Batch
    created_batch: bool
    visible: list[int]
    stats: dict[str, int]
    tokens: TokenChange
    notices: list[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        batch = self.batch
        return {
            "index": self.index,
            "ok": self.ok,
            "error": self.error,
            **({} if self.refusal is None else {"refusal": self.refusal}),
            self.kind: self.given,
            **({"result": self.answer} if self.kind in ANSWERING else {}),
            "batch": {
                "id": batch.id,
                "number": batch.number,
                "parent": batch.parent,
                "boundary": batch.boundary,
            },
            "createdBatch": self.created_batch,
            "visible": self.visible,
            "stats": self.stats,
            "tokens": self.tokens.to_dict(),
            "notices": self.notices,
        }


def run_steps(
    conversation: Conversation, steps: tuple[ScriptStep, ...], *, keep_going: bool = False
) -> Iterator[StepReport]:
    """Take the steps one by one; stop after the first that fails, unless asked to continue."""
    before = conversation.view
    for index, step in enumerate(steps):
        now = conversation.view
        report = _take(conversation, index, step, before)
        if step.kind in CHANGING and report.ok:
            before = now
        yield report
        if not report.ok and not keep_going:
            return


def _take(conversation: Conversation, index: int, step: ScriptStep, last: View) -> StepReport:
    before = conversation.tokens.total
    counter = conversation.settings.counter
    batches = len(conversation.batches)
    error = refusal = answer = result = miss = None
    given = _given(step)
    try:
        if step.kind == "operation":
            result = conversation.execute(step.ask)
        elif step.policy is not None:
            done = step.policy.before_call(conversation, step.call)
            answer = {"acted": done.acted, "refused": [one.to_dict() for one in done.refused]}
            error = "; ".join(f"stage {one.stage}: {one.reason}" for one in done.refused) or None
        elif step.question is not None:
            answer = step.question.ask(conversation)
            if step.answer is not NOTHING and not same_json(answer, step.answer):
                miss = f"the answer is {brief(answer)}, not {brief(step.answer)}"
        elif step.expectation is not None:
            miss = "; ".join(step.expectation.misses(conversation, last)) or None
    except Refused as refused:
        error = str(refused.with_hint(METADATA_HINT))
    if step.refused is not False:
        # An expectation that does not hold is a failure, not a refusal.
        error, refusal = _judged(step.refused, error)
    error = error or miss
    now = conversation.tokens
    # Figures of two counters are never put side by side.
    tokens = (
        result.tokens
        if result is not None
        else TokenChange(before if counter == now.counter else now.total, now.total, now.counter)
    )
    return StepReport(
        index,
        step.kind,
        given,
        error is None,
        error,
        refusal,
        answer,
        conversation.batch,
        len(conversation.batches) > batches,
        list(conversation.view),
        conversation.stats().to_dict(),
        tokens,
        [notice.to_dict() for notice in result.notices] if result is not None else [],
    )


def _judged(wanted: bool | str, error: str | None) -> tuple[str | None, str | None]:
    """Return the error and the refusal of a step that had to be refused."""
    if error is None:
        return "it was accepted, and should have been refused", None
    if isinstance(wanted, str) and wanted not in error:
        return f"it was refused with another sentence than {wanted!r}: {error}", None
    return None, error


def _given(step: ScriptStep) -> Any:
    """Return the step as JSON-ready data, operations in the flat form if they can be read."""
    if step.question is not None:
        return step.question.to_dict()
    if step.expectation is not None:
        return step.expectation.to_dict()
    if step.policy is not None:
        return step.policy.to_dict()
    if isinstance(step.ask, list):
        return [_flat(one) for one in step.ask]
    return _flat(step.ask)


def _flat(ask: Any) -> Any:
    """Return an operation as JSON-ready data; what can't be read as it was given, or in words."""
    try:
        return read_operation(ask).to_dict()
    except Refused:
        pass
    try:
        return thaw(freeze(ask, "operation"))
    except Refused:
        return format_value(ask)


def final_state(conversation: Conversation) -> dict[str, Any]:
    """Return the final state of a conversation as JSON-ready data."""
    return {
        "visible": list(conversation.view),
        "texts": [message.text for message in conversation.visible],
        "rawCount": len(conversation.log),
        "markMap": conversation.mark_map().to_dict(),
        "stats": conversation.stats().to_dict(),
        "batches": [batch_dict(conversation, batch) for batch in conversation.batches],
        "check": conversation.check(),
    }


def batch_dict(conversation: Conversation, batch: Batch) -> dict[str, Any]:
    """Return a batch with how many messages its newest revision shows."""
    return {
        "id": batch.id,
        "number": batch.number,
        "parent": batch.parent,
        "boundary": batch.boundary,
        "operation": batch.operation and batch.operation.to_dict(),
        "description": batch.description,
        "visibleCount": len(conversation.newest(batch).view),
    }
