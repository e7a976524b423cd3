"""Reports made up for tests: one that has everything in it, and one in which every text acts."""

from __future__ import annotations

from itertools import count
from typing import Any

from ctxtui.core.corpus.plan import CorpusPlan
from ctxtui.core.corpus.running import report_of
from ctxtui.core.policies import Policy

Report = dict[str, Any]
POLICY = {"name": "last", "do": [{"operation": "TRUNCATE", "keepLast": 20}]}
STEPS: list[dict[str, Any]] = [
    {"length": {"messages": [2, None]}},
    {"replace": {"what": "mail,phone"}},
    {"policy": POLICY},
    {"dedupe": {"near": 0.9}},
    {"simulate": [POLICY]},
]
TEXTS = ("title", "source", "reason", "words", "name")
"""Keys of a report whose values come from data."""
NAMES = ("hits", "adapted", "lost", "remarks")
"""Objects of a report whose keys come from data."""


def no_file(name: str) -> Policy:
    raise AssertionError(name)


def plan_with(steps: list[dict[str, Any]], folder: str = "out", *sources: str) -> CorpusPlan:
    """Return a plan."""
    given = {"sources": list(sources) or ["data"], "steps": steps, "sink": {"folder": folder}}
    return CorpusPlan.read(given, no_file)


def empty() -> Report:
    """Return the report of a run that read nothing."""
    return report_of(plan_with([]), [], [], {})


def full() -> Report:
    """Return a report with something in every place, and no figure twice."""
    numbers = count(10_007, 1_013)
    report = report_of(plan_with(STEPS), [], [], {})
    for name in ("files", "bytes", "unreadable", "changed"):
        report[name] = next(numbers)
    for step in report["steps"]:
        step["dropped"] = next(numbers)
    length, replace, policy, _, simulate = report["steps"]
    length["words"] = "keep 2… messages"
    replace |= {"hits": {"mail": next(numbers), "phone": next(numbers)}, "changed": next(numbers)}
    policy |= {"acted": next(numbers), "refused": next(numbers)}
    simulate["runs"] = [_run("(recorded)", numbers), _run("last", numbers)]
    report["dropped"] = sum(step["dropped"] for step in report["steps"])
    report["kept"] = next(numbers)
    report["records"] = report["unreadable"] + report["dropped"] + report["kept"]
    report["before"] = _size(numbers, report["records"] - report["unreadable"], 0)
    report["after"] = _size(numbers, report["kept"], 2)
    report["keptBefore"] = {"messages": next(numbers), "tokens": next(numbers)}
    report["adapted"] = {"wizard messages are read as user messages": next(numbers)}
    report["lost"] = {"the history is left out": next(numbers)}
    files = {"files": next(numbers), "sources": ["data/a.jsonl", "data/b.jsonl"]}
    report["remarks"] = {"the file ends in the middle of a line": files}
    report["worst"] = [_worst(rank, numbers) for rank in range(1, 21)]
    report["bad"] = [{**_where(numbers), "reason": "it is not JSON"}]
    report["refused"] = [{**_where(numbers), "step": 2, "reason": "nothing would be left"}]
    return report


def _where(numbers: count[int]) -> Report:
    return {"number": next(numbers), "source": "data/a.jsonl", "place": next(numbers)}


def _run(name: str, numbers: count[int]) -> Report:
    figures = ("brokenRuns", "acted", "refused", "calls", "broken", "withoutMarked")
    run = {one: next(numbers) for one in figures} | {"name": name, "runs": 77}
    run |= {"tokensOutsidePrefix": next(numbers), "tokensSent": next(numbers)}
    return run | {"overLimit": next(numbers), "peak": next(numbers)}


def _size(numbers: count[int], conversations: int, first: int) -> Report:
    broken = {
        severity: {rule: {"findings": next(numbers), "in": next(numbers)} for rule in rules}
        for severity, rules in (("errors", ("G1", "G2")), ("warnings", ("G2", "G8")))
    }
    buckets = [
        {"from": (1 << bits) >> 1, "below": 1 << bits, "count": next(numbers)}
        for bits in range(first, first + 5)
    ]
    return {
        "conversations": conversations,
        "messages": next(numbers),
        "tokens": next(numbers),
        "clean": next(numbers),
        **broken,
        "histogram": buckets,
    }


def _worst(rank: int, numbers: count[int]) -> Report:
    figures = ("messages", "errors", "brokenCalls", "warnings", "tokens")
    told = {**_where(numbers), **{name: next(numbers) for name in figures}}
    return told | {"title": "a parcel", "rules": ["G1", "G2"], "file": f"worst/{rank:02}.json"}


def spoilt(report: Any, text: str, key: str = "") -> Any:
    """Return the same report with hostile text wherever text comes from data."""
    match report:
        case dict():
            return {
                (f"{text} {name}" if key in NAMES else name): spoilt(value, text, name)
                for name, value in report.items()
            }
        case list():
            return [spoilt(one, text, key) for one in report]
        case str():
            return f"{text} {report}" if key in (*TEXTS, "sources") else report
    return report
