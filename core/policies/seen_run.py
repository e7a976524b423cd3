"""What the model saw of a recorded run, next to what was sent of it."""

from __future__ import annotations

from collections.abc import Hashable

from ..conversation.conversation import Conversation
from ..engine.diff import common_start
from ..engine.queries import Calls
from ..engine.state import StateAtRevision
from ..requests.as_seen import as_seen
from ..requests.seen import MANAGING
from .figures import CallFigures
from .runs import SimulationConfig
from .simulation import PolicyRun

NAME = "(seen)"


def seen_run(config: SimulationConfig, conversation: Conversation) -> PolicyRun | None:
    """Return what the model saw of a recorded run, where its provider is known to have edited it.

    None too where what the model saw of a call can't be known.
    """
    calls = list(Calls(config.run.state))
    if not config.run.is_recorded or len(calls) != len(config.run.calls):
        return None
    if not any(name in (call.parameters or ()) for call in calls for name in MANAGING):
        return None
    seen = [conversation.seen(call) for call in calls]
    is_edited = any(not one.is_as_sent for one in seen)
    if not is_edited or any(one.view is None or one.certainty == "unknown" for one in seen):
        return None
    marked = config.run.marked(config.required_labels)
    figures: list[CallFigures] = []
    states: list[StateAtRevision] = []
    before: list[Hashable] = []
    for number, call in enumerate(calls, start=1):
        shown = as_seen(conversation, call)
        names = _names(conversation, shown)
        kept = common_start(before, names)
        tokens = [shown.log.tokens(raw, shown.settings.counter) for raw in shown.view]
        size = conversation.revisions[call.revision].log_size
        figures.append(
            CallFigures(
                number,
                messages=len(shown.view),
                tokens=sum(tokens),
                prefix_tokens=sum(tokens[:kept]),
                errors=sum(one.severity == "error" for one in shown.lint(config.profile)),
                marks_missing=sum(raw < size and raw not in shown.view for raw in marked),
                acted=not seen[number - 1].is_as_sent,
            )
        )
        states.append(StateAtRevision(shown.moment, shown.moment.head))
        before = names
    return PolicyRun(None, config, config.figures(NAME, figures), states.__getitem__)


def _names(conversation: Conversation, shown: Conversation) -> list[Hashable]:
    """Return a name for each message, by which calls are compared: its raw index or its content."""
    size = len(conversation.log)
    return [
        raw if raw < size else (shown.log[raw].role, shown.log[raw].content) for raw in shown.view
    ]
