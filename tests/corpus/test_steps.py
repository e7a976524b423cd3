"""What each step does to conversations, and what a plan refuses."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.corpus import CorpusPlan
from ctxtui.core.corpus.plan import LengthStep, line_formats
from ctxtui.core.curation.duplicates import compared_text, near_groups, shingles_of
from ctxtui.core.errors import Refused
from tests.corpus.small import LAST_SIX, Steps, chat, lines, manifest, no_file, put, ran

LONG = chat(*(f"message {number}" for number in range(20)))


def made_of(tmp_path: Path, steps: Steps, *rows: Any, **sink: Any) -> tuple[list[Any], Any]:
    put(tmp_path / "data" / "a.jsonl", *rows)
    done = ran(tmp_path, steps, **sink)
    return lines(done.out), done.report


def test_length_keeps_what_is_neither_too_short_nor_too_long(tmp_path: Path) -> None:
    steps: Steps = [{"length": {"messages": [2, 10]}}, {"length": {"tokens": [None, 50]}}]
    rows = [chat("one"), chat("one", "two"), LONG, chat("word " * 400, "two")]
    kept, report = made_of(tmp_path, steps, *rows)
    assert kept == [rows[1]]
    assert [step["dropped"] for step in report["steps"]] == [2, 1]
    reasons = [row.get("reason") for row in manifest(tmp_path / "out")]
    assert reasons[0] == "1 messages, 2…10 are wanted"
    assert reasons[2] == "20 messages, 2…10 are wanted"


def test_lint_counts_or_keeps_only_what_is_clean(tmp_path: Path) -> None:
    broken = {"messages": [{"role": "tool", "tool_call_id": "x", "content": "lost"}]}
    kept, report = made_of(tmp_path, [{"lint": {"profile": "openai", "keep": "all"}}], LONG, broken)
    assert len(kept) == 2
    assert report["before"]["clean"] == report["after"]["clean"] == 1
    assert sum(rule["in"] for rule in report["after"]["errors"].values()) >= 1
    kept, report = made_of(
        tmp_path, [{"lint": {"profile": "openai", "keep": "clean"}}], LONG, broken, out="clean"
    )
    assert kept == [LONG]
    assert report["after"]["errors"] == {}
    assert report["before"]["errors"]


def test_a_policy_acts_once_and_what_it_refuses_stays_as_it_was(tmp_path: Path) -> None:
    strict = {
        "name": "strict",
        "do": [{"operation": "DELETE", "indices": [3]}],
    }
    kept, report = made_of(
        tmp_path, [{"policy": LAST_SIX}, {"policy": strict}], LONG, chat("a", "b")
    )
    assert [len(row["messages"]) for row in kept] == [6, 2]
    assert report["steps"][0]["acted"] == 1
    assert report["steps"][1]["refused"] == 2
    assert report["refused"][0]["step"] == 1
    assert [len(row["refused"]) for row in manifest(tmp_path / "out")] == [1, 1]
    assert report["changed"] == 1
    assert report["before"]["messages"] == 22
    assert report["after"]["messages"] == 8


def test_replace_reaches_what_is_beside_the_messages_and_tells_what_stays(tmp_path: Path) -> None:
    mail = "kb@mail.example"
    tool = {"name": f"to {mail}", "parameters": {"properties": {mail: {"type": "string"}}}}
    row = {**chat("calm"), "tools": [{"type": "function", "function": tool}], "user": mail}
    given = {"what": "mail"}
    kept, report = made_of(tmp_path / "a", [{"replace": given}], row)
    assert kept[0]["user"] == "[mail]"
    assert kept[0]["tools"][0]["function"]["name"] == "to [mail]"
    assert report["changed"] == 1
    assert report["steps"][0]["hits"] == {"mail": 2}
    assert report["steps"][0]["stays"] == {"everywhere": 1}
    kept, report = made_of(tmp_path / "b", [{"replace": {**given, "everywhere": True}}], row)
    assert mail not in json.dumps(kept)
    assert "stays" not in report["steps"][0]


def test_replace_changes_only_what_is_found(tmp_path: Path) -> None:
    steps: Steps = [
        {"replace": {"what": "mail"}},
        {"replace": {"pattern": r"parcel (\d+)", "text": r"parcel #\1", "regex": True}},
    ]
    rows = [chat("I am kim@mail.example, parcel 44", "yes"), chat("nothing", "here")]
    kept, report = made_of(tmp_path, steps, *rows)
    assert "kim@" not in json.dumps(kept)
    assert "parcel #44" in kept[0]["messages"][0]["content"]
    assert kept[1] == rows[1]
    assert [step["hits"] for step in report["steps"]] == [{"mail": 1}, {"words": 1}]
    assert report["changed"] == 1
    assert report["lost"] == {}


def test_dedupe_keeps_the_first_and_says_which(tmp_path: Path) -> None:
    words = " ".join(f"word{number}" for number in range(200))
    rows = [chat("a", "b"), chat(words, "yes"), chat("a", "b"), chat(f"{words} more", "yes"), LONG]
    kept, _ = made_of(tmp_path, [{"dedupe": "exact"}], *rows)
    assert kept == [rows[0], rows[1], rows[3], rows[4]]
    assert manifest(tmp_path / "out")[2] | {"alike": 0, "step": 0} == manifest(tmp_path / "out")[2]
    kept, _ = made_of(tmp_path, [{"dedupe": {"near": 0.8}}], *rows, out="near")
    assert kept == [rows[0], rows[1], rows[4]]
    assert [row.get("alike") for row in manifest(tmp_path / "near")] == [None, None, 0, 1, None]


def test_a_corpus_and_a_library_have_the_same_near_duplicates(tmp_path: Path) -> None:
    chance = random.Random(5)
    rows = []
    for _ in range(200):
        words = [f"word{chance.randrange(3_000)}" for _ in range(120)]
        other = list(words)
        for place in chance.sample(range(120), chance.choice((1, 2, 3))):
            other[place] = "changed"
        rows += [chat(" ".join(words), "yes"), chat(" ".join(other), "yes")]
    made_of(tmp_path, [{"dedupe": {"near": 0.9}}], *rows)
    firsts = [row.get("alike", row["number"]) for row in manifest(tmp_path / "out")]
    texts = {
        str(number): shingles_of(compared_text(Conversation(row["messages"])))
        for number, row in enumerate(rows)
    }
    groups = near_groups(texts, 0.9, {})
    assert firsts == [int(groups.first(str(number))) for number in range(len(rows))]
    assert 20 < sum(first != number for number, first in enumerate(firsts)) < 180


def test_what_an_earlier_step_drops_takes_no_later_one_with_it(tmp_path: Path) -> None:
    twin = chat("a", "b")
    longer = chat("a", "b", "c", "d")
    steps: Steps = [
        {"length": {"messages": [3, None]}},
        {"policy": [{"operation": "TRUNCATE", "keepFirst": 2}]},
        {"dedupe": "exact"},
        {"dedupe": "exact"},
    ]
    kept, report = made_of(tmp_path, steps, twin, longer, longer)
    assert len(kept) == 1
    assert [step["dropped"] for step in report["steps"]] == [1, 0, 1, 0]


def test_conversations_without_words_are_alike_only_if_they_are_the_same(tmp_path: Path) -> None:
    rows = [chat("…", "!"), chat("…", "?"), chat("…", "!")]
    kept, _ = made_of(tmp_path, [{"dedupe": {"near": 0.5}}], *rows)
    assert kept == rows[:2]


def test_squash_leaves_only_what_is_visible(tmp_path: Path) -> None:
    steps: Steps = [{"policy": LAST_SIX}, {"squash": True}]
    kept, report = made_of(tmp_path, steps, LONG, chat("a", "b"), to="native")
    assert "message 13" not in json.dumps(kept)
    assert report["changed"] == 1
    kept, _ = made_of(tmp_path, steps[:1], LONG, to="native", out="all")
    assert "message 13" in json.dumps(kept)


def test_simulate_compares_policies_over_all_runs(tmp_path: Path) -> None:
    careless = {"name": "last two", "do": [{"operation": "TRUNCATE", "keepLast": 2}]}
    rows = [LONG, chat("a", "b", "c", "d"), {"messages": [{"role": "user", "content": "alone"}]}]
    kept, report = made_of(tmp_path, [{"simulate": [LAST_SIX, careless]}], *rows)
    assert kept == rows
    runs = report["steps"][0]["runs"]
    assert [(one["name"], one["runs"], one["calls"]) for one in runs] == [
        ("last six", 2, 12),
        ("last two", 2, 12),
    ]
    assert runs[1]["tokensSent"] < runs[0]["tokensSent"]


def test_the_worst_are_written_so_that_the_app_opens_them(tmp_path: Path) -> None:
    broken = {"messages": [{"role": "tool", "tool_call_id": "x", "content": "lost"}]}
    _, report = made_of(tmp_path, [{"policy": LAST_SIX}], LONG, broken, chat("a", "b"))
    assert [row["number"] for row in report["worst"]] == [1, 0, 2]
    opened = json.loads((tmp_path / "out" / report["worst"][1]["file"]).read_bytes())
    assert "message 3" in json.dumps(opened)  # All that was ever said, with what hid it.
    assert "TRUNCATE" in json.dumps(opened)


def test_nothing_depends_on_when_it_is_done(tmp_path: Path) -> None:
    made_of(tmp_path, [{"policy": LAST_SIX}], LONG, to="native")
    made_of(tmp_path, [{"policy": LAST_SIX}], LONG, to="native", out="again")
    first, again = (tmp_path / out / "part-00000.jsonl" for out in ("out", "again"))
    assert first.read_bytes() == again.read_bytes()


SINK = {"folder": "out"}


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ([], "the run [] is not an object"),
        ({}, "the run has no sources; it must have sources and a sink"),
        ({"sources": ["a"]}, "the run has no sink"),
        ({"sink": SINK}, "the run has no sources"),
        ({"sources": [], "sink": SINK}, "sources [] is empty; it must be a list"),
        ({"sources": 5, "sink": SINK}, "sources 5 is not a list of files"),
        ({"sources": ["a", 5], "sink": SINK}, "sources[1] 5 is not text"),
        ({"sources": ["a", ""], "sink": SINK}, "sources[1] '' is empty"),
        ({"sources": ["a"], "sink": {}}, "sink has no folder; it must name one"),
        ({"sources": ["a"], "sink": SINK, "step": []}, "'step' is not a field of the run"),
        ({"sources": ["a"], "sink": {**SINK, "to": "markdown"}}, "to 'markdown' is not a format"),
        ({"sources": ["a"], "sink": {**SINK, "to": "word"}}, "format 'word' is not one of"),
        ({"sources": ["a"], "sink": {**SINK, "shard": 0}}, "shard 0 is below 1; it must"),
        (
            {"sources": ["a"], "sink": {**SINK, "shard": -5}},
            "shard -5 is below 1; it must be 1 or more",
        ),
        ({"sources": ["a"], "sink": {**SINK, "as": "csv"}}, "as 'csv' is not jsonl or parquet"),
        ({"sources": ["a"], "sink": SINK, "from": "word"}, "from 'word' is not a format that can"),
    ],
    ids=str,
)
def test_a_bad_plan_is_refused_in_one_sentence(data: Any, sentence: str) -> None:
    with pytest.raises(Refused) as refused:
        CorpusPlan.read(data, no_file)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        ("lint", "step 'lint' is not an object"),
        ({}, "step {} is not an object"),
        ({"explode": 1}, "step 'explode' is not one of lint, length"),
        ({"squash": True, "lint": {}}, "a step has one key; this has 'squash' and 'lint'"),
        ({"squash": 1}, "squash 1 must be true, or be left out"),
        ({"lint": {"profile": "x"}}, "'x'"),
        ({"lint": {"keep": "some"}}, "keep 'some' is not clean or all"),
        ({"length": {}}, "length has no bound; give messages or tokens"),
        ({"length": {"messages": [5, 2]}}, "messages [5, 2] is in the wrong order"),
        ({"length": {"messages": [-1, 2]}}, "messages -1 is below 0"),
        ({"length": {"words": [1, 2]}}, "'words' is not a field of length"),
        ({"policy": {"do": []}}, "do"),
        ({"policy": 7}, "policy 7 is not"),
        ({"replace": {"pattern": "a"}}, "replace has no text; it needs pattern and text"),
        ({"replace": {"pattern": "a", "text": 5}}, "text 5 is not text"),
        ({"replace": {"what": "mail", "case": True}}, "'case' belongs to pattern and text"),
        ({"replace": {"what": "mail", "roles": []}}, "roles [] is empty; it must be a list of"),
        ({"replace": {"what": []}}, "what [] is empty; it must be a list of patterns: mail"),
        ({"replace": {"what": 5}}, "what 5 is not a list of patterns: mail"),
        ({"replace": {"what": [5]}}, "what 5 is not text"),
        ({"replace": {"what": "names"}}, "what 'names' is not one of"),
        ({"replace": {"pattern": "(", "text": "", "regex": True}}, "'('"),
        ({"dedupe": "near"}, "dedupe 'near' is not exact"),
        ({"dedupe": {"near": 0.2}}, "near 0.2 is outside 0.5…1"),
        ({"simulate": []}, "simulate [] is empty; it must be a list of policies"),
        ({"simulate": [LAST_SIX, LAST_SIX]}, "two policies are called 'last six'"),
    ],
    ids=str,
)
def test_a_bad_step_is_refused_by_its_place(step: Any, sentence: str) -> None:
    data = {"sources": ["a"], "sink": SINK, "steps": [{"squash": True}, step]}
    with pytest.raises(Refused) as refused:
        CorpusPlan.read(data, no_file)
    assert str(refused.value).startswith("steps[1]")
    assert sentence in str(refused.value)


@pytest.mark.parametrize("keys", [("simulate", "profile"), ("profile", "simulate")])
def test_keys_of_a_step_may_stand_in_any_order(keys: tuple[str, str]) -> None:
    given = {"simulate": [LAST_SIX], "profile": "openai"}
    step = {key: given[key] for key in keys}
    made = CorpusPlan.read({"sources": ["a"], "sink": SINK, "steps": [step]}, no_file)
    assert made.profile == "generic"
    assert made.steps[0].to_dict()["profile"] == "openai"


@pytest.mark.parametrize("to", line_formats())
def test_every_format_with_lines_can_be_written(tmp_path: Path, to: str) -> None:
    kept, report = made_of(tmp_path, [], LONG, chat("a", "b"), to=to)
    assert len(kept) == report["kept"] == 2


@pytest.mark.parametrize(
    ("messages", "tokens", "words"),
    [
        ((0, None), (None, None), "keep 0… messages"),
        ((None, 0), (None, None), "keep …0 messages"),
        ((0, 0), (None, None), "keep 0…0 messages"),
        ((None, None), (0, None), "keep 0… tokens"),
        ((2, 1_000), (None, 50), "keep 2…1,000 messages and …50 tokens"),
        ((None, None), (None, None), "keep any size"),
    ],
)
def test_a_length_says_which_sizes_it_keeps(messages: Any, tokens: Any, words: str) -> None:
    assert LengthStep(messages=messages, tokens=tokens).in_words() == words
