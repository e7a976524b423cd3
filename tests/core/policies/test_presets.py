"""Presets: each sends, request by request, what the library's own code has sent."""

from __future__ import annotations

import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import Conversation, Message, Refused
from ctxtui.core.engine.messages import ThinkingPart, ToolResultPart, ToolUsePart
from ctxtui.core.engine.units import result_text
from ctxtui.core.policies import Policy
from ctxtui.core.policies.preset import (
    FOLDER,
    UNPROVEN,
    never_acted,
    preset_named,
    preset_names,
    presets,
    read_preset,
)
from ctxtui.core.policies.runs import SimulationConfig, run_of
from ctxtui.core.policies.simulation import run_policy, simulate
from ctxtui.core.values.frozen import thaw
from ctxtui.files.opening import open_policy
from ctxtui.files.policies import find_policy, load_policy, load_recipe_or_policy
from ctxtui.library.models.steps import recipe_or_policy_at
from tests.core.samples import Data, said, talk
from tests.docs.pages import code_in, page

RECORDED = Path(__file__).parents[2] / "vectors" / "policies" / "requests.json.xz"
RUNS = ("r1", "r3", "r5", "parcel")
LIMITS = {"camel": "token_limit", "maf-context-window": "max_context_window_tokens"}
PROVEN = [name for name in preset_names() if preset_named(name).proven]


@cache
def recorded() -> Data:
    """Return the runs, and what the libraries sent at each call."""
    data: Data = json.loads(lzma.decompress(RECORDED.read_bytes()))
    return data


def at(settings: Any, path: str) -> Any:
    """Return a setting of a library by its path."""
    for name in path.split("."):
        settings = settings[int(name)] if isinstance(settings, list) else settings[name]
    return settings


def read(message: Message) -> Data:
    """Return what a provider reads of a message."""
    results = [part for part in message.parts if isinstance(part, ToolResultPart)]
    calls = [part for part in message.parts if isinstance(part, ToolUsePart)]
    thinking = [part.text for part in message.parts if isinstance(part, ThinkingPart)]
    given = {
        "role": message.role,
        "content": "\n".join(map(result_text, results)) if results else message.text,
        "id": results[0].tool_use_id if results else None,
        "error": bool(results and results[0].is_error),
        "calls": [{"id": one.id, "name": one.name, "args": thaw(one.input)} for one in calls],
        "thinking": "\n".join(thinking),
    }
    return {key: value for key, value in given.items() if value}


def read_once(message: Message, known: dict[int, tuple[Message, Data]]) -> Data:
    """Return the same of a message that most calls send again."""
    if id(message) not in known:
        known[id(message)] = message, read(message)
    return known[id(message)][1]


def told(name: str, run: str) -> tuple[Conversation, Policy, int | None, list[Any], Data]:
    """Return a run, the preset with the library's settings, and what the library sent."""
    known = recorded()["expected"][name]
    first, *lines = known["runs"][run]
    settings = first["settings"]
    values = "&".join(f"{key}={at(settings, path)}" for key, path in known["settings"].items())
    policy = read_preset(f"preset:{name}?{values}" if values else f"preset:{name}")
    data = json.loads(json.dumps(recorded()["runs"][run]["messages"]))
    for message in data:
        if isinstance(message["content"], list):
            left = [p for p in message["content"] if p["type"] not in settings.get("without", ())]
            message["content"] = left or [{"type": "text", "text": ""}]
    limit = None if name == "agents-limit" else settings.get(LIMITS.get(name, "limit"))
    conversation = Conversation(data, {"tokenLimit": int(limit or 0)})
    made = {key: one for line in lines if isinstance(line, dict) for key, one in line.items()}
    calls = [line for line in lines if isinstance(line, list)]
    return conversation, policy, settings.get("max_output_tokens"), calls, made


@pytest.mark.parametrize("name", PROVEN)
def test_a_preset_sends_what_the_library_has_sent_at_every_call_of_every_run(name: str) -> None:
    for run in RUNS:
        conversation, policy, output, calls, made = told(name, run)
        config = SimulationConfig.about(run_of(conversation), output=output)
        done = run_policy(config, policy)
        assert not done.figures.refused
        known: dict[int, tuple[Message, Data]] = {}
        raw = [read_once(message, known) for message in conversation.log]
        for number, (place, sent) in enumerate(calls, start=1):
            assert config.run.calls[number - 1].at == place
            expected: list[Data] = []
            for piece in sent.split(","):
                if piece in made:
                    expected.append({key: one for key, one in made[piece].items() if one})
                else:
                    first, _, last = piece.partition("-")
                    expected += raw[int(first) : int(last or first) + 1]
            found = [read_once(one, known) for one in done.at(number).visible]
            assert found == expected, f"{run} {number}"


def test_the_recorded_requests_are_of_the_proven_presets() -> None:
    assert sorted(recorded()["expected"]) == sorted(PROVEN)
    assert len(PROVEN) == 49
    calls = sum(
        isinstance(line, list)
        for run in recorded()["expected"]["pi"]["runs"].values()
        for line in run
    )
    assert calls == 399


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_can_be_read_and_says_where_it_comes_from(name: str) -> None:
    preset = preset_named(name)
    assert json.loads((FOLDER / f"{name}.json").read_text("utf-8"))["name"] == name
    assert all((preset.family, preset.line, preset.source, preset.version, preset.cannot))
    policy = read_preset(f"preset:{name}")
    assert policy.name == (name if preset.proven else f"{name}{UNPROVEN}")
    assert policy.in_words()
    assert Policy.from_dict(policy.to_dict()) == policy


def test_presets_come_by_family() -> None:
    families = [one.family for one in presets()]
    assert families == sorted(families, key=str.casefold)
    assert len(families) == len(preset_names()) == 67


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("preset:lc-sum", "there is no preset 'lc-sum'; try lc-clear-tools"),
        ("preset:", "there is no preset ''; try what ctxtui policies lists"),
        ("preset:lc-trim?min=3", "parameter of preset:lc-trim 'min=3' is not NAME=NUMBER of max"),
        ("preset:lc-trim?max=x", "parameter of preset:lc-trim 'max=x' is not NAME=NUMBER of max"),
    ],
)
def test_an_unknown_preset_or_parameter_is_refused_with_what_there_is(
    text: str, sentence: str
) -> None:
    with pytest.raises(Refused) as refusal:
        read_preset(text)
    assert str(refusal.value).startswith(sentence)


def test_a_preset_that_never_acted_offers_itself_scaled_to_the_run() -> None:
    pairs = [(said("user", "a" * 400), said("assistant", "b" * 400)) for _ in range(20)]
    conversation = talk(*(one for pair in pairs for one in pair))
    config = SimulationConfig.about(run_of(conversation))
    idle = never_acted(run_policy(config, read_preset("preset:lc-summarize-tokens")))
    assert idle is not None
    assert (idle.peak, idle.unit) == (3900, "tokens")
    assert idle.instead == "preset:lc-summarize-tokens?trigger=1950&keep=390"
    assert run_policy(config, read_preset(idle.instead)).figures.acted
    limited = never_acted(run_policy(config, read_preset("preset:strands-window-overflow")))
    assert limited is not None
    assert limited.instead == "--limit 1950"
    assert never_acted(run_policy(config, Policy([{"operation": "REPAIR"}]))) is None


def test_the_docs_have_the_presets_and_how_many_calls_are_equal() -> None:
    rows = page("docs/policies.md").section("Presets").table("family")
    calls = recorded()["expected"]
    counts: dict[str, int] = {}
    for family, names, equal in rows:
        members = code_in(names)
        counts |= dict.fromkeys(members, 1)
        assert {preset_named(name).family for name in members} == {family}
        lines = [line for name in members for run in calls[name]["runs"].values() for line in run]
        total = sum(isinstance(line, list) for line in lines)
        assert equal == f"{total:,} / {total:,}"
    assert sorted(counts) == sorted(PROVEN)


@pytest.mark.parametrize("name", PROVEN)
def test_an_agent_loop_sends_what_the_simulation_has_judged(name: str) -> None:
    conversation, policy, output, _, _ = told(name, "r1")
    config = SimulationConfig.about(run_of(conversation), output=output)
    judged = run_policy(config, policy)
    contexts = []
    for number, (context, acted) in enumerate(simulate(config, told(name, "r1")[1]), start=1):
        sent = [read(message) for message in acted.messages]
        assert sent == [read(message) for message in judged.at(number).visible]
        contexts = [context]
    assert not contexts[0].check()
    assert Conversation.from_dict(contexts[0].to_dict()) == contexts[0]


def test_a_preset_may_stand_wherever_a_file_of_a_policy_may() -> None:
    text = "preset:lc-trim?max=300"
    policy = open_policy(text)
    assert policy == read_preset(text)
    assert load_policy(find_policy(text).path) == policy
    assert load_recipe_or_policy(text) == policy
    assert recipe_or_policy_at(find_policy(text).path).is_policy
