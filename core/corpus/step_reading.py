"""Reading steps: from the JSON of a plan to what is done, or to what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..curation.alike import read_threshold
from ..curation.patterns import PATTERNS, Pattern, named_patterns, own_pattern
from ..errors import Refused, key_name, not_a, shown
from ..lint import profile_rules
from ..policies import Policy
from ..values.models import read_count, read_flag, read_text
from ..values.roles import ROLES, read_role
from .steps import (
    KEEPS,
    DedupeStep,
    LengthStep,
    LintStep,
    PolicyStep,
    ReplaceStep,
    SimulateStep,
    SquashStep,
    Step,
)

PolicyAt = Callable[[str], Policy]
"""Reads a policy or recipe from a file that a plan names."""


def read_steps(data: object, policy_at: PolicyAt) -> tuple[Step, ...]:
    """Return the steps of a plan, or refuse one by its place."""
    if not isinstance(data, list | tuple):
        raise not_a("steps", data, "a list of steps")
    steps = []
    for place, one in enumerate(data):
        try:
            steps.append(read_step(one, policy_at))
        except Refused as refusal:
            raise refusal.inside(f"steps[{place}]") from None
    return tuple(steps)


def read_step(data: object, policy_at: PolicyAt) -> Step:
    """Return one step: an object with the name of the step as its key."""
    if not isinstance(data, Mapping) or not data:
        raise not_a("step", data, f"an object with one of {', '.join(READERS)}")
    kind = "simulate" if "simulate" in data else next(iter(data))
    others = [key for key in data if key != kind]
    if kind not in READERS:
        raise not_a("step", kind, f"one of {', '.join(READERS)}")
    if others and not (kind == "simulate" and others == ["profile"]):
        raise Refused(
            f"a step has one key; this has {shown(kind)} and {shown(others[0])}",
            field=key_name(others[0]),
            legal="one step an object",
        )
    return READERS[kind](data, policy_at)


def fields_of(data: object, name: str, legal: Sequence[str]) -> Mapping[str, Any]:
    """Return an object of a plan, or refuse what is none or has a key that nobody knows."""
    if not isinstance(data, Mapping):
        raise not_a(name, data, f"an object with {', '.join(legal)}")
    for key in data:
        if key not in legal:
            raise Refused(
                f"{shown(key)} is not a key of {name} ({', '.join(legal)})",
                field=key_name(key),
                value=data[key],
                legal=", ".join(legal),
            )
    return data


def read_some(data: object, name: str, legal: str) -> Sequence[Any]:
    """Return a list of a plan, or refuse what is none or has nothing in it."""
    if not isinstance(data, list | tuple):
        raise not_a(name, data, f"a list of {legal}")
    if not data:
        raise Refused(
            f"{name} [] is empty; it must be a list of {legal}",
            field=name,
            value=data,
            legal=f"a list of {legal}",
        )
    return data


def _lint(data: Mapping[str, Any], _: PolicyAt) -> Step:
    given = fields_of(data["lint"], "lint", ("profile", "keep"))
    profile, keep = given.get("profile", "generic"), given.get("keep", "all")
    profile_rules(profile)
    if keep not in KEEPS:
        raise not_a("keep", keep, " or ".join(KEEPS))
    return LintStep(profile, keep)


def _length(data: Mapping[str, Any], _: PolicyAt) -> Step:
    given = fields_of(data["length"], "length", ("messages", "tokens"))
    bounds = {name: _bounds(name, both) for name, both in given.items()}
    if not any(any(side is not None for side in both) for both in bounds.values()):
        raise Refused(
            "length has no bound; give messages or tokens as [least, most]",
            field="length",
            legal="messages or tokens as [least, most]",
        )
    return LengthStep(**bounds)


def _bounds(name: str, both: object) -> tuple[int | None, int | None]:
    match both:
        case [least, most]:
            found = [None if one is None else read_count(one, name) for one in (least, most)]
            if None not in found and found[0] > found[1]:  # type: ignore[operator]
                raise Refused(
                    f"{name} [{found[0]}, {found[1]}] is the wrong way round; the least is first",
                    field=name,
                    value=both,
                    legal="[least, most]",
                )
            return found[0], found[1]
    raise not_a(name, both, "[least, most], each a count or null")


def _policy(data: Mapping[str, Any], policy_at: PolicyAt) -> Step:
    return PolicyStep(read_policy(data["policy"], policy_at))


def read_policy(given: Any, policy_at: PolicyAt) -> Policy:
    """Return a policy that is given as data, or by the name of a file."""
    return policy_at(given) if isinstance(given, str) else Policy(given)


def _replace(data: Mapping[str, Any], _: PolicyAt) -> Step:
    given = fields_of(
        data["replace"],
        "replace",
        ("what", "pattern", "text", "regex", "case", "roles", "everywhere"),
    )
    roles = read_some(given.get("roles", ROLES), "roles", f"roles: {', '.join(ROLES)}")
    chosen = tuple(read_role(role) for role in roles)
    everywhere = read_flag(given.get("everywhere", False), "everywhere")
    if "what" in given:
        for key in given:
            if key not in ("what", "roles", "everywhere"):
                raise Refused(
                    f"{shown(key)} goes with pattern and text, not with what",
                    field=key,
                    value=given[key],
                    legal="what, or pattern and text",
                )
        return ReplaceStep(given, tuple(_built_in(given["what"])), chosen, everywhere)
    for key in ("pattern", "text"):
        if key not in given:
            raise Refused(
                f"replace has no {key}; it needs pattern and text, or what",
                field=key,
                legal="pattern and text, or what",
            )
    if not isinstance(given["text"], str):
        raise not_a("text", given["text"], "text")
    made = own_pattern(
        read_text(given["pattern"], "pattern"),
        given["text"],
        is_regex=read_flag(given.get("regex", False), "regex"),
        case_sensitive=read_flag(given.get("case", False), "case"),
    )
    return ReplaceStep(given, (made,), chosen, everywhere)


def _built_in(what: object) -> list[Pattern]:
    if isinstance(what, str):
        return named_patterns(what)
    names = read_some(what, "what", f"patterns: {', '.join(PATTERNS)}")
    return named_patterns([read_text(name, "what") for name in names])


def _dedupe(data: Mapping[str, Any], _: PolicyAt) -> Step:
    match data["dedupe"]:
        case "exact":
            return DedupeStep()
        case {"near": near, **rest} if not rest:
            return DedupeStep(read_threshold(near))
    raise not_a("dedupe", data["dedupe"], 'exact, or {"near": 0.9}')


def _squash(data: Mapping[str, Any], _: PolicyAt) -> Step:
    if data["squash"] is not True:
        raise Refused(
            f"squash {shown(data['squash'])} must be true, or be left out",
            field="squash",
            value=data["squash"],
            legal="true",
        )
    return SquashStep()


def _simulate(data: Mapping[str, Any], policy_at: PolicyAt) -> Step:
    given = read_some(data["simulate"], "simulate", "policies, or of files that hold one")
    policies = tuple(read_policy(one, policy_at) for one in given)
    names = [one.name for one in policies]
    for name in names:
        if names.count(name) > 1:
            raise Refused(
                f"two policies are called {shown(name)}; give each a name of its own",
                field="simulate",
                value=name,
                legal="a name for each",
            )
    profile = data.get("profile")
    if profile is not None:
        profile_rules(profile)
    return SimulateStep(policies, profile)


READERS: dict[str, Callable[[Mapping[str, Any], PolicyAt], Step]] = {
    "lint": _lint,
    "length": _length,
    "policy": _policy,
    "replace": _replace,
    "dedupe": _dedupe,
    "squash": _squash,
    "simulate": _simulate,
}
"""How each step is read."""
