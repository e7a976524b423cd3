"""``ctxtui simulate``: the table, every call as JSON, expectations, sweeps and recorded scripts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run

Write = Callable[[str, Any], Path]
Data = dict[str, Any]


def exchange(number: int) -> list[Data]:
    use = {"type": "tool_use", "tool_use": {"id": f"c{number}", "name": "look", "input": {}}}
    told = {"type": "tool_result", "tool_result": {"tool_use_id": f"c{number}", "content": "seen"}}
    return [{"role": "assistant", "content": [use]}, {"role": "tool", "content": [told]}]


AGENT: Data = {
    "messages": [
        {"role": "system", "content": "You fix things."},
        {"role": "user", "content": "Never touch the public interface."},
        *[message for number in range(12) for message in exchange(number)],
        {"role": "assistant", "content": "Done."},
    ],
    "settings": {"tokenLimit": 60},
    "steps": [{"operation": "MARK", "indices": [1], "label": "rule"}],
}
PLAIN = [{"operation": "TRUNCATE", "keepLast": 7}]
CAREFUL: Data = {
    "name": "careful window",
    "parameters": {"k": 6},
    "when": {"messagesAbove": "$k+4"},
    "do": [
        {
            "operation": "TRUNCATE",
            "keepLast": "$k",
            "keepSystem": True,
            "keepPairs": "drop",
            "keepMarks": ["rule"],
        }
    ],
}


@pytest.fixture
def files(write: Write) -> tuple[Path, Path, Path]:
    """Return a run, a plain window and a careful one."""
    return write("run.json", AGENT), write("plain.json", PLAIN), write("careful.json", CAREFUL)


def test_the_table_tells_what_each_policy_would_have_sent(
    run: Run, files: tuple[Path, Path, Path]
) -> None:
    agent, plain, careful = files
    told = run("simulate", agent, "--policy", plain, careful)
    assert told.code == 0
    head, first, second, about, *plots = told.out.splitlines()
    assert head.split()[:3] == ["policy", "broken", "without"]
    assert first.split()[:3] == ["plain.json", "9", "9"]
    assert second.split()[:4] == ["careful", "window", "0", "0"]
    assert about.startswith("27 messages, 13 calls, one before each answer; must stay: rule;")
    assert [line.split()[0] for line in plots if line] == [
        "plain.json",
        "broken",
        "without",
        "careful",
        *("now", "(as", "plain.json", "careful.json"),
    ]
    assert plots[2].count("✖") == 9
    assert told.err == ""


def test_json_has_every_call_of_every_policy(run: Run, files: tuple[Path, Path, Path]) -> None:
    agent, plain, careful = files
    told = run("simulate", agent, "--policy", plain, "--policy", careful, "--json").data
    assert list(told) == ["calls", "counter", "profile", "policies", "now"]
    assert (told["calls"], told["counter"], told["profile"]) == (13, "bytes/4", "generic")
    first, second = told["policies"]
    assert list(first) == [
        "name",
        "calls",
        "broken",
        "withoutMarked",
        "tokensSent",
        "tokensOutsidePrefix",
        "peak",
        "overLimit",
        "acted",
        "summaryCalls",
        "refused",
        "neededLater",
        "deadWeight",
        "payback",
        "estimates",
        "perCall",
    ]
    assert [first["name"], second["name"]] == ["plain.json", "careful window"]
    assert first["perCall"][3] == {
        "call": 4,
        "messages": 7,
        "tokens": 15,
        "prefixTokens": 0,
        "errors": 0,
        "marksMissing": 0,
        "acted": True,
    }
    assert sum(one["tokens"] for one in first["perCall"]) == first["tokensSent"]


def test_the_history_itself_comes_first_where_there_is_one(run: Run, write: Write) -> None:
    cut = {"operation": "TRUNCATE", "keepLast": 1}
    after = {"operation": "APPEND", "messages": [{"role": "assistant", "content": "Well."}]}
    agent = write("run.json", {**AGENT, "steps": [*AGENT["steps"], cut, after]})
    told = run("simulate", agent, "--json")
    assert told.code == 0
    assert [one["name"] for one in told.data["policies"]] == ["(recorded)"]
    last = told.data["policies"][0]["perCall"][-1]
    assert (last["messages"], last["marksMissing"], last["acted"]) == (1, 1, True)
    both = run("simulate", agent, "--policy", write("plain.json", PLAIN), "--json").data
    assert [one["name"] for one in both["policies"]] == ["(recorded)", "plain.json"]


def test_an_expectation_that_does_not_hold_ends_with_1(
    run: Run, files: tuple[Path, Path, Path]
) -> None:
    agent, plain, careful = files
    held = run("simulate", agent, "--policy", careful, "--expect", "broken=0", "withoutMarked=0")
    assert held.code == 0
    assert held.out.splitlines()[-1] == "✓ broken=0, withoutMarked=0"
    missed = run("simulate", agent, "--policy", careful, plain, "--expect", "broken=0")
    assert missed.code == 1
    assert missed.out.splitlines()[-1] == "✖ plain.json: broken is 9; expected is broken=0"
    data = run("simulate", agent, "--policy", plain, "--expect", "broken=0", "--json")
    assert data.code == 1
    assert data.data["policies"][0]["broken"] == 9
    assert "plain.json: broken is 9" in data.err


def test_prices_give_a_cost(run: Run, files: tuple[Path, Path, Path]) -> None:
    agent, plain, _ = files
    price = ("--price", "input=3,cached=0.3,output=15")
    told = run("simulate", agent, "--policy", plain, *price)
    assert told.out.splitlines()[0].split()[-1] == "cost"
    assert "$0.00" in told.out.splitlines()[1]
    data = run("simulate", agent, "--policy", plain, *price, "--json").data
    assert 0 < data["policies"][0]["cost"] < 0.01
    assert any(", an estimate: " in one and "pays back" in one for one in told.out.splitlines())
    kept = ("--profile", "openai", "--pace", "9999")
    assert run("simulate", agent, "--policy", plain, *kept).code == 0
    unknown = run("simulate", agent, "--policy", plain, "--pace", "20")
    assert unknown.code == 2
    assert "what a cache of the generic profile keeps is not known" in unknown.err


def test_a_sweep_prints_the_front_and_what_to_ship(
    run: Run, files: tuple[Path, Path, Path]
) -> None:
    agent, plain, careful = files
    sweep = ("--sweep", "k=2:8:2")
    told = run("simulate", agent, "--policy", careful, *sweep, "--expect", "broken=0")
    assert told.code == 0
    lines = told.out.splitlines()
    rows = [line for line in lines if line.startswith("careful window ")]
    assert [row.split()[2] for row in rows[-4:]] == ["2", "4", "6", "8"]
    assert sum(row.endswith("to ship") for row in rows) == 1
    assert any(line.startswith("ship careful window with k ") for line in lines)
    data = run("simulate", agent, "--policy", careful, *sweep, "--json").data
    assert [one["value"] for one in data["settings"]] == [2, 4, 6, 8]
    none = run(
        "simulate", agent, "--policy", plain, "--sweep", "keepLast=1:3", "--expect", "acted>0"
    )
    assert none.code == 1
    assert none.out.splitlines()[-1] == "✖ no setting is fit to ship"


def test_a_recorded_script_is_a_regression_test_of_the_policy_file(
    run: Run, files: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    agent, _, careful = files
    script = tmp_path / "tests" / "careful.json"
    script.parent.mkdir()
    told = run("simulate", agent, "--policy", careful, "--record", script)
    assert told.code == 0
    assert "13 calls written to" in told.err
    assert json.loads(script.read_text())["steps"][2] == {"policy": "../careful.json"}
    assert run("replay", script).code == 0
    careful.write_text(json.dumps({**CAREFUL, "parameters": {"k": 4}}))
    again = run("replay", script)
    assert again.code == 1
    assert "visible is" in again.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "nothing was done to this context yet"),
        (("--policy", "nowhere.json"), "nowhere.json"),
        (("--policy", "{plain}", "--expect", "x=1"), "expect 'x' is not one of calls, broken"),
        (("--policy", "{plain}", "--price", "x"), "price 'x' is not input="),
        (("--policy", "{plain}", "--must", "x"), "must 'x' is not a label of this run"),
        (("--policy", "{plain}", "--sweep", "x=1:2"), "'x' is neither a parameter nor a field"),
        (("--policy", "{plain}", "--sweep", "k"), "sweep 'k' is not NAME=FIRST:LAST"),
        (("--sweep", "k=1:2"), "--sweep needs a --policy"),
        (("--policy", "{plain}", "--sweep", "k=1:2", "--sweep", "j=1:2"), "--sweep can be given"),
        (("--policy", "{plain}", "{careful}", "--record", "x"), "exactly one --policy, not 2"),
        (("--policy", "{plain}", "--record", "-"), "--record needs a file name"),
        (("--policy", "{plain}", "--record", "{plain}"), "it is read, so it can't be written too"),
        (("--policy", "{plain}", "--record", "{agent}"), "it is read, so it can't be written too"),
        (
            ("--policy", "{plain}", "--record", "x", "--sweep", "keepLast=1:2"),
            "it can't be used with --sweep",
        ),
        (("--policy", "{plain}", "--price", "input=1_000"), "price input '1_000' is not"),
        (("--policy", "{bad}"), "stages[0]: do[0]: TRUNCATE cuts nothing"),
        (("--policy", "{plain}", "--expect", "cost<1"), "--expect of a cost needs a --price"),
    ],
)
def test_bad_input_is_one_sentence_and_2(
    run: Run,
    write: Write,
    files: tuple[Path, Path, Path],
    arguments: tuple[str, ...],
    sentence: str,
) -> None:
    agent, plain, careful = files
    bad = write("bad.json", [{"operation": "TRUNCATE"}])
    given = [one.format(agent=agent, plain=plain, careful=careful, bad=bad) for one in arguments]
    told = run("simulate", agent, *given)
    assert told.code == 2
    assert sentence in told.err
    assert len(told.err.splitlines()) == 1


def test_a_conversation_without_an_answer_has_no_call(run: Run, write: Write) -> None:
    asked = write("asked.json", [{"role": "user", "content": "Hello?"}])
    told = run("simulate", asked, "--policy", write("plain.json", PLAIN))
    assert told.code == 2
    assert "no message is the assistant's, so no model was called" in told.err


def test_a_refused_stage_is_told_and_the_others_run(
    run: Run, files: tuple[Path, Path, Path]
) -> None:
    agent, plain, _ = files
    plain.write_text(json.dumps([{"operation": "DELETE", "indices": [0]}]))
    told = run("simulate", agent, "--policy", plain)
    assert told.code == 0
    assert (
        "▲ plain.json was refused 12 times, first before call 2: step 0: indices 0 is not"
        in told.out
    )


def test_whoever_stops_reading_gets_the_verdict_all_the_same(
    files: tuple[Path, Path, Path], library: Path
) -> None:
    agent, plain, careful = files
    for policy, code in ((careful, 0), (plain, 1)):
        words = ["simulate", agent, "--policy", policy, "--json", "--expect", "broken=0"]
        cut = '"$@" | head -c 1 > /dev/null; exit ${PIPESTATUS[0]}'
        told = subprocess.run(
            ["bash", "-c", cut, "-", sys.executable, "-m", "ctxtui", *map(str, words)],
            capture_output=True,
            env={**os.environ, "CTXTUI_LIBRARY": str(library)},
            check=False,
        )
        assert told.returncode == code


def test_a_text_that_must_not_be_lost_is_a_probe(run: Run, files: tuple[Path, Path, Path]) -> None:
    agent, plain, careful = files
    probe = ("--probe", "public interface")
    told = run("simulate", agent, "--policy", plain, careful, *probe)
    assert "plain.json: 'public interface' is missing from call 5 on (9 calls)" in told.out
    assert "careful window: 'public interface' is sent by every call" in told.out
    data = run("simulate", agent, "--policy", plain, *probe, "--json").data["policies"][0]
    assert data["probes"] == [{"text": "public interface", "calls": 9, "first": 5}]
    refused = run("simulate", agent, "--policy", plain, "--probe", "nowhere")
    assert (refused.code, refused.out) == (2, "")
    assert "no message of this run has the text 'nowhere'" in refused.err


def test_needed_later_can_be_expected_and_says_which_words(run: Run, write: Write) -> None:
    texts = ("it is in /srv/port.toml", "thanks", "and now?", "I read /srv/port.toml")
    roles = ("user", "assistant")
    rows = [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)]
    told = run(
        *("simulate", write("run.json", {"messages": rows})),
        *("--policy", write("one.json", [{"operation": "TRUNCATE", "keepLast": 1}])),
        *("--expect", "neededLater=0"),
    )
    assert told.code == 1
    assert "answer to call 2 uses /srv/port.toml of message 0, hidden by TRUNCATE" in told.out
    assert "neededLater is 1; expected is neededLater=0" in told.out
