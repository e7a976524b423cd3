"""Presets: policies that act as the strategies of known libraries and agents do.

Each is a file in ``presets``; its ``like`` says where it comes from. A proven one was compared,
request by request, with what the library's own code sent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

from ..engine.units import MessageSequence
from ..errors import Refused, format_value, wrong_type
from ..values.models import fields_dict
from ..values.numbers import decimal_in, integer_in
from .policy import Policy
from .runs import RecordedRun
from .simulation import PolicyRun

PREFIX = "preset:"
FOLDER = Path(__file__).parent / "presets"
UNPROVEN = " (unproven)"
ACTING_SHARE = 2
"""A scaled preset acts at the largest call divided by this."""


class Preset(NamedTuple):
    """A preset: its file's name, what it is like, and what it can't reproduce."""

    name: str
    family: str
    line: str
    source: str
    version: str
    proven: bool
    cannot: str
    parameters: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        return fields_dict(self)


@cache
def _data(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return data


@cache
def preset_names() -> tuple[str, ...]:
    """Return the names of all presets."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.json")))


def presets() -> list[Preset]:
    """Return all presets by family; in each the proven ones come first."""
    found = [preset_named(name) for name in preset_names()]
    return sorted(found, key=lambda one: (one.family.casefold(), not one.proven, one.name))


def preset_named(name: str) -> Preset:
    """Return a preset, or refuse a name that none has."""
    data = _known(name)
    like = {key: value for key, value in data["like"].items() if key != "scale"}
    return Preset(name, parameters=data.get("parameters", {}), **like)


def _known(name: str) -> dict[str, Any]:
    if name not in preset_names():
        start = name.partition("-")[0]
        near = [one for one in preset_names() if start and one.startswith(start)]
        legal = ", ".join(near) or "what ctxtui policies lists"
        raise Refused(
            f"there is no preset {format_value(name)}; try {legal}", "preset", name, legal
        )
    return _data(name)


def is_preset(text: object) -> bool:
    """Return whether a text names a preset in place of a file."""
    return isinstance(text, str) and text.startswith(PREFIX)


def read_preset(text: str) -> Policy:
    """Return the policy that ``preset:NAME?PARAMETER=NUMBER&…`` names, or refuse it."""
    name, _, values = text.removeprefix(PREFIX).partition("?")
    data = _known(name)
    parameters = dict(data.get("parameters", {}))
    for pair in values.split("&") if values else ():
        key, _, given = pair.partition("=")
        whole = integer_in(given)
        number = decimal_in(given) if whole is None else whole
        if key not in parameters or number is None:
            known = ", ".join(parameters) or "none"
            legal = f"NAME=NUMBER of {known}"
            raise wrong_type(f"parameter of {PREFIX}{name}", pair, legal)
        parameters[key] = number
    policy = {**data, "parameters": parameters}
    title = name if data["like"]["proven"] else f"{name}{UNPROVEN}"
    described = f"{data['like']['line']} ({data['like']['source']} {data['like']['version']})"
    return Policy({**policy, "name": title, "description": described})


class NeverActed(NamedTuple):
    """A preset that did nothing over a run: from when on it acts, and what would suit the run."""

    preset: str
    threshold: str
    peak: int
    unit: str
    instead: str

    def to_dict(self) -> dict[str, Any]:
        return fields_dict(self)

    def in_words(self) -> str:
        return (
            f"{self.preset} never acted: it acts {self.threshold}; "
            f"this run has at most {self.peak:,} {self.unit}. Try {self.instead}"
        )


def never_acted(run: PolicyRun) -> NeverActed | None:
    """Return what to say about a preset that did nothing over a run; None for any other policy."""
    policy = run.policy
    if policy is None or run.figures.acted:
        return None
    name = policy.name.removesuffix(UNPROVEN)
    scale = _data(name)["like"].get("scale") if name in preset_names() else None
    if scale is None:
        return None
    unit, known = scale["unit"], policy.parameters
    peak = _peak(run.config.run, "tokens" if unit in ("limit", "sent") else unit)
    when = " or ".join(dict.fromkeys(stage.when.in_words() for stage in policy.stages))
    threshold = (
        when
        if "trigger" not in scale
        else f"{when} ({scale['trigger']} {known[scale['trigger']]:,})"
    )
    if unit == "limit":
        instead = f"--limit {max(1, ceil(peak / ACTING_SHARE)):,}".replace(",", "")
        return NeverActed(policy.name, threshold, peak, "tokens", instead)
    factor = peak / ACTING_SHARE / max(1, known[scale["trigger"]])
    scaled = "&".join(f"{key}={max(1, int(known[key] * factor))}" for key in scale["with"])
    what = "tokens" if unit == "sent" else unit
    return NeverActed(policy.name, threshold, peak, what, f"{PREFIX}{name}?{scaled}")


def _peak(run: RecordedRun, unit: str) -> int:
    """Return how much of a unit the whole run has before its last call."""
    raws: Sequence[int] = run.raws[: run.calls[-1].at] if run.calls else ()
    return MessageSequence(run.state, list(raws)).count(unit)
