"""The walk through a run done again without any haste: everything is computed anew at every call.

It shares the engine's operations and lint with ``core.policies``, and nothing else.
"""

from __future__ import annotations

from typing import Any

from ctxtui.core import Conversation, Refused

Data = dict[str, Any]


def run_and_calls(conversation: Conversation) -> tuple[list[int], list[int]]:
    """Return the raw indices of the run, and before which of its places the model was called."""
    raws: list[int] = []
    revision = conversation.current
    while True:
        came = revision.parent is None or (
            revision.operation is not None and revision.operation.title == "APPEND"
        )
        if came:
            raws += [raw for start, size in revision.fresh for raw in range(start, start + size)]
        if revision.parent is None:
            break
        revision = conversation.revisions[revision.parent]
    raws.sort()
    calls = [at for at, raw in enumerate(raws) if conversation.log[raw].role == "assistant"]
    return raws, calls


def is_due(when: Data | None, conversation: Conversation, call: int) -> bool:
    if not when or "always" in when:
        return True
    tests = {
        "tokensAbove": lambda n: tokens_of(conversation, conversation.view) > n,
        "messagesAbove": lambda n: len(list(conversation.view)) > n,
        "everyCalls": lambda n: call % n == 0,
    }
    return any(tests[name](number) for name, number in when.items())


def tokens_of(conversation: Conversation, raws: Any) -> int:
    texts = [conversation.log[raw].search_text for raw in raws]
    return sum(-(-len(text.encode("utf-8", "surrogatepass")) // 4) for text in texts)


def written(conversation: Conversation, do: list[Data]) -> tuple[list[Data], int]:
    """Return operations with summaries in place of templates, and how many were written."""
    made: list[Data] = []
    summaries = 0
    for one in do:
        summary = one.get("summary")
        if isinstance(summary, dict) and "template" in summary:
            bare = {key: value for key, value in one.items() if key != "summary"}
            gone = conversation.preview([*made, bare]).steps[-1].diff.hidden
            if gone:
                moment = conversation.preview([*made, bare]).moment
                total = sum(moment.log.tokens(raw, moment.counter) for raw in gone)
                text = summary["template"].replace("{count}", str(len(gone)))
                text = text.replace("{tokens}", str(total))
                one = {**bare, "summary": {"role": summary["role"], "content": text}}
                summaries += 1
            else:
                one = bare
        made.append(one)
    return made, summaries


def naive_simulation(original: Conversation, stages: list[Data], must: list[str]) -> Data:
    """Return the figures of a policy, as ``simulate --json`` tells them."""
    raws, calls = run_and_calls(original)
    copy = Conversation((), original.settings)
    come, per_call, refused, summaries = 0, [], [], 0
    before: list[int] = []
    for number, at in enumerate(calls, start=1):
        for raw in raws[come:at]:
            copy.append(original.log[raw])
            for label, marked in original.marks.items():
                if raw in marked:
                    new = len(copy.log) - 1
                    copy.execute({"operation": "MARK", "indices": [new], "label": label})
        come = at
        acted = False
        for stage in stages:
            if not is_due(stage.get("when"), copy, number):
                continue
            try:
                do, paid = written(copy, stage["do"])
                summaries += paid
                after = copy.preview(do).moment
            except Refused as refusal:
                refused.append({"call": number, "reason": str(refusal)})
                continue
            marks = {label: list(raws) for label, raws in after.head.marks.items()}
            if list(after.view) != list(copy.view) or marks != copy.marks:
                copy.execute(do)
                acted = True
        view = list(copy.view)
        shared = 0
        while shared < min(len(view), len(before)) and view[shared] == before[shared]:
            shared += 1
        wanted = {raw for label in must for raw in copy.marks.get(label, ())}
        per_call.append(
            {
                "call": number,
                "messages": len(view),
                "tokens": tokens_of(copy, view),
                "prefixTokens": tokens_of(copy, view[:shared]),
                "errors": sum(one.severity == "error" for one in copy.lint()),
                "marksMissing": len(wanted - set(view)),
                "acted": acted,
            }
        )
        before = view
    limit = original.settings.token_limit
    return {
        "calls": len(calls),
        "broken": sum(one["errors"] > 0 for one in per_call),
        "withoutMarked": sum(one["marksMissing"] > 0 for one in per_call),
        "tokensSent": sum(one["tokens"] for one in per_call),
        "tokensOutsidePrefix": sum(one["tokens"] - one["prefixTokens"] for one in per_call),
        "peak": max((one["tokens"] for one in per_call), default=0),
        "overLimit": sum(limit is not None and one["tokens"] > limit for one in per_call),
        "acted": sum(one["acted"] for one in per_call),
        "summaryCalls": summaries,
        "refused": refused,
        "perCall": per_call,
    }
