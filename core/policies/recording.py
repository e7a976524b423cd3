"""Recording a simulation as a script: what a policy does today is what it must do tomorrow."""

from __future__ import annotations

from typing import Any

from .policy import Policy
from .questions import Question
from .simulation import rehearse


def recorded_script(
    question: Question, policy: Policy, title: str, file: str | None = None
) -> dict[str, Any]:
    """Return a script that lets a run come again and expects of every call what is so now.

    Its steps run the policy of a file where one is named, so that they fail when that changes what
    it does; else the policy as it is.
    """
    run, come, size = question.run, 0, 0
    steps: list[dict[str, Any]] = []
    counts = any(stage.when.every_calls is not None for stage in policy.stages)
    acts = zip(rehearse(question, policy), run.calls, strict=True)
    for number, ((conversation, done), point) in enumerate(acts, start=1):
        if point.at > come:
            messages = [message.to_dict() for message in run.messages[come : point.at]]
            steps.append({"operation": "APPEND", "messages": messages})
            shift = size - come
            steps += [
                {"operation": "MARK", "indices": [place + shift], "label": label}
                for place, labels in question.labels_between(come, point.at)
                for label in labels
            ]
        steps.append(
            {
                "policy": policy.to_dict() if file is None else file,
                **({"call": number} if counts else {}),
                **({"refused": True} if done.refused else {}),
            }
        )
        errors = {
            one.rule for one in conversation.lint(question.profile) if one.severity == "error"
        }
        expected = {
            "visible": list(conversation.view),
            "tokens": conversation.tokens.total,
            "lint": sorted(errors) or "clean",
        }
        steps.append({"expect": expected})
        come, size = point.at, len(conversation.log)
    return {
        "meta": {
            "title": f"{policy.name} over {title}",
            "about": f"What {policy.name} sends at each of {len(run.calls)} calls.",
        },
        "settings": {**run.state.head.settings.to_dict(), "profile": question.profile},
        "steps": steps,
    }
