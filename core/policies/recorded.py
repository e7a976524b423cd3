"""What the history itself sent at its calls, judged as a policy is."""

from __future__ import annotations

from ..views.view import EMPTY
from .judging import Judge
from .questions import Question
from .sent import Sent
from .simulation import PolicyRun

NAME = "(recorded)"


def recorded(question: Question) -> PolicyRun | None:
    """Return what was really sent, where the history shows it."""
    run = question.run
    if not run.has_history:
        return None
    marked = run.marked(question.must)
    judge, calls, sent, batch = Judge(question.profile), [], [], 0
    before = EMPTY
    for number, point in enumerate(run.calls, start=1):
        state = Sent(run.state, run.state.head, point.view, point.log_size)
        must = [raw for raw in marked if raw < point.log_size]
        calls.append(judge.judge(number, state, before, must, acted=point.batch != batch))
        sent.append(state)
        batch, before = point.batch, point.view
    return PolicyRun(None, question, question.figures(NAME, calls), sent.__getitem__)
