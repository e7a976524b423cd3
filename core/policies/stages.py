"""Stages: what a policy does when it is due, and how that is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..engine.dialects import read_operation
from ..engine.operation import Operation
from ..engine.operations import Compress, Configure
from ..engine.rewriting import SummaryTemplate
from ..errors import Refused, check_keys, format_value, key_name, refusals_at, wrong_type
from ..requests.provider_rules import ToolClearing, compaction_trigger, thinking_kept_by
from ..values.models import read_choice, read_count, read_each, read_flag, to_camel
from .conditions import ALWAYS, Late, When, holds_text, read_late, shape_of

STAGE_KEYS = ("when", "do", "lasting", "on", "again", "ensures", "giveUp", "provider")


@dataclass(frozen=True, slots=True)
class Stage:
    """What is done, as one change, when it is due."""

    due: When | Late[When]
    do: tuple[Operation | Late[Operation], ...]
    lasting: bool = True
    on: str = "call"
    again: int = 0
    ensures: When | Late[When] | None = None
    give_up: int | None = None

    @property
    def when(self) -> When:
        """Return when it is due, as it is given."""
        return shape_of(self.due)

    @property
    def is_plain(self) -> bool:
        """Return whether how much would be sent decides if it acts at all."""
        is_lasting = self.lasting and self.on == "call" and self.ensures is None
        return self.when.is_plain and is_lasting and not isinstance(self.due, Late)

    @property
    def operations(self) -> tuple[Operation, ...]:
        """Return what it does, as it is given."""
        return tuple(map(shape_of, self.do))

    def in_words(self) -> str:
        sentence = ", then ".join(operation.sentence() for operation in self.operations)
        what = "each message" if self.on == "message" else "the request"
        how = "" if self.lasting else ", in the request only"
        when = self.when.in_words()
        if self.on == "message":
            when = when.replace("before every call", f"with {what}")
        return f"{sentence}, {when}{how}"


def read_stage(data: object, *, may_lack_template: bool, selections: Sequence[str]) -> Stage:
    """Return a stage from JSON data, or refuse it.

    A COMPRESS without a summary of its own gets one if a function writes summaries.
    """
    if not isinstance(data, Mapping):
        raise wrong_type("stage", data, "an object with do, and when if it isn't always due")
    check_keys(data, "a stage", STAGE_KEYS)
    due: When | Late[When] = ALWAYS
    if data.get("when") is not None:
        due = read_late(data["when"], selections, When.from_dict)
    ensures, give_up = data.get("ensures"), data.get("giveUp")
    do = data.get("do")
    if not isinstance(do, list | tuple):
        raise wrong_type("do", do, "a list of operations")
    if not do:
        raise Refused("do [] holds no operation", "do", [], "one or more")

    def read_one(one: Any) -> Operation:
        return _read_operation(one, may_lack_template)

    def read_ensures(one: Any) -> When:
        with refusals_at("ensures"):
            return When.from_dict(one)

    return Stage(
        due,
        read_each(do, "do", lambda one: read_late(one, selections, read_one)),
        read_flag(data.get("lasting", True), "lasting"),
        read_choice(data.get("on", "call"), "on", ("call", "message")),
        read_count(data.get("again", 0), "again"),
        None if ensures is None else read_late(ensures, selections, read_ensures),
        None if give_up is None else read_count(give_up, "giveUp"),
    )


def _read_operation(data: Any, may_lack_template: bool) -> Operation:
    operation = read_operation(data)
    if isinstance(operation, Configure):
        raise Refused(
            "CONFIGURE can't be part of a policy: its calls are evaluated by the settings",
            field="operation",
            value=operation.title,
            legal="any operation but CONFIGURE",
        )
    lacks = isinstance(operation, Compress) and not (operation.summary or operation.templates)
    if may_lack_template and lacks:
        template = SummaryTemplate(template="{count}")  # The function writes the text.
        return operation.model_copy(update={"templates": (template,)})
    return operation


SELECTING = ("select", "aside", "of", "from", "except", "among", "copyOf")
"""The fields that take the name of a selection of the policy."""


def with_selections(data: Any, selections: Mapping[str, Any], inside: tuple[str, ...] = ()) -> Any:
    """Return JSON data with the selections of a policy in place of their names."""

    def selection(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [selection(one) for one in value]
        if not isinstance(value, str):
            return with_selections(value, selections, inside)
        if value not in selections or value in inside:
            why = "contains itself" if value in inside else "is no selection of this policy"
            legal = ", ".join(selections) or "a policy with selections"
            raise Refused(f"{format_value(value)} {why}; there are {legal}", None, value, legal)
        return with_selections(selections[value], selections, (*inside, value))

    if isinstance(data, Mapping):
        return {
            key: value
            if holds_text(key, value)
            else selection(value)
            if to_camel(key_name(key)) in SELECTING
            else with_selections(value, selections, inside)
            for key, value in data.items()
        }
    if isinstance(data, list | tuple):
        return [with_selections(one, selections, inside) for one in data]
    return data


def provider_stages(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what a provider's own edits do, as stages.

    The rules are written as requests have them; what is left out has the provider's default.
    """
    check_keys(data, "a stage of a provider", ("provider",))
    rules = data["provider"]
    if not isinstance(rules, Mapping) or not rules:
        raise wrong_type("provider", rules, f"an object with {', '.join(PROVIDER_RULES)}")
    check_keys(rules, "provider", tuple(PROVIDER_RULES))
    for name, rule in rules.items():
        if not isinstance(rule, Mapping):
            raise wrong_type(name, rule, "an object with the fields of the rule")
    return [PROVIDER_RULES[name](rule) for name, rule in rules.items()]


def _tool_clearing(rule: Mapping[str, Any]) -> dict[str, Any]:
    known, least = ToolClearing.of(rule), rule.get("clear_at_least")
    results = {"roles": ["tool"]}
    select: dict[str, Any] = {**results, "except": {**results, "last": known.keep}}
    if known.excluded:
        select["exceptTools"] = sorted(known.excluded)
    redact: dict[str, Any] = {"operation": "REDACT", "select": select, "parts": ["results"]}
    if known.inputs is None or known.inputs:
        redact["parts"] = ["results", "inputs"]
        if known.inputs:
            redact["tools"] = sorted(known.inputs)
    above = {"above": known.trigger}
    stage: dict[str, Any] = {
        "lasting": False,
        "when": {"messages": {"of": results, **above}} if known.by_uses else {"tokens": above},
        "do": [redact],
    }
    if isinstance(least, Mapping) and isinstance(least.get("value"), int):
        stage["ensures"] = {"tokens": {"atMost": f"tokens - {least['value']}"}}
    return stage


def _thinking_clearing(rule: Mapping[str, Any]) -> dict[str, Any]:
    keep = thinking_kept_by(rule, None)
    turns = "turns" if keep == "all" else 1 if keep is None else keep
    thinks = {"has": ["thinking"]}
    select = {  # Of the messages of users only those count that were answered with thinking.
        "aside": {"roles": ["user"], "within": {"from": {**thinks, "last": 1}}},
        "among": [{"roles": ["user"]}, thinks],
        "before": {"turns": turns},
        "roles": ["assistant"],
    }
    redact = {"operation": "REDACT", "select": select, "parts": ["thinking"]}
    return {"lasting": False, "do": [redact]}


COMPACTED_TOKENS = 3_000
"""As how many tokens the summary of a provider counts, whose length is unknown."""


def _compaction(rule: Mapping[str, Any]) -> dict[str, Any]:
    summary = {"template": "summary of {count} messages", "tokens": COMPACTED_TOKENS}
    compress = {
        "operation": "COMPRESS",
        "aside": {"roles": ["system"]},
        "select": {},
        "summary": {"role": "assistant", **summary},
    }
    return {"when": {"tokens": {"above": compaction_trigger(rule)}}, "do": [compress]}


PROVIDER_RULES: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "clear_tool_uses": _tool_clearing,
    "clear_thinking": _thinking_clearing,
    "compact": _compaction,
}
