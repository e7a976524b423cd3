"""``ctxtui replay``: every step told, exit codes, and what a script can expect."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import SAMPLES, Run

Write = Callable[[str, Any], Path]
FIVE = [
    {"role": role, "content": f"m{i}"}
    for i, role in enumerate(["system", "user", "assistant", "user", "assistant"])
]


@pytest.mark.parametrize(
    "script", sorted((SAMPLES / "scripts").glob("*.json")), ids=lambda p: p.stem
)
def test_every_sample_script_passes(run: Run, script: Path) -> None:
    told = run("replay", script)
    assert told.code == 0
    assert told.out.splitlines()[-1].endswith("steps, 0 failed")
    assert told.err == ""


@pytest.mark.parametrize(
    "step",
    [
        {"operation": "DELETE", "select": "…"},
        {"operation": "CONFIGURE", "compressionConfig": "…"},
        {"operation": "insert", "insert": "…"},
        {"operation": "APPEND", "messages": [{"role": "user", "content": "a", "metadata": "…"}]},
    ],
    ids=lambda step: step["operation"],
)
def test_a_step_nested_too_deep_fails_in_a_sentence(
    run: Run, write: Write, step: dict[str, Any]
) -> None:
    deep: Any = 1
    for _ in range(150):
        deep = {"a": deep}
    text = json.dumps(step, ensure_ascii=False).replace('"…"', json.dumps(deep))
    path = write("deep.json", {"messages": FIVE, "steps": [json.loads(text)]})
    for arguments in ((path,), (path, "--json")):
        told = run("replay", *arguments)
        assert (told.code, told.err) == (1, "")
    assert run("replay", path).out.endswith("1 step, 1 failed\n")


def test_json_tells_each_step_and_the_end(run: Run, write: Write) -> None:
    script = write(
        "s.json",
        {
            "messages": FIVE,
            "steps": [
                {"operation": "truncate", "truncate": {"keepLast": 2}},
                {"query": {"kind": "recent", "k": 1, "roles": ["user"]}},
                {"expect": {"visible": [3, 4], "batch": 1}},
                {"operation": "INSERT", "position": 9, "messages": FIVE[:1], "refused": True},
            ],
        },
    )
    told = run("replay", script, "--json")
    assert told.code == 0
    first, asked, expected, refused = told.data["steps"]
    assert first == {
        "index": 0,
        "ok": True,
        "error": None,
        "operation": {"operation": "TRUNCATE", "keepLast": 2},
        "batch": {"id": 1, "number": 1, "parent": 0, "boundary": 3},
        "createdBatch": True,
        "visible": [3, 4],
        "stats": {
            "totalMessages": 5,
            "currentBatchMessages": 2,
            "totalBatches": 2,
            "currentBatchIndex": 1,
        },
        "tokens": {"before": 5, "after": 2, "counter": "bytes/4"},
        "notices": [],
    }
    assert asked["result"] == [3]
    assert asked["query"] == {"kind": "recent", "k": 1, "roles": ["user"]}
    assert expected["ok"]
    assert expected["expect"] == {"visible": [3, 4], "batch": 1}
    assert refused["ok"]
    assert refused["refusal"] == "position 9 is outside 0…2"
    final = told.data["final"]
    assert final["texts"] == ["m3", "m4"]
    assert final["check"] == []
    assert final["markMap"]["batchBoundaries"] == [0, 3]
    assert [(b["id"], b["operation"], b["visibleCount"]) for b in final["batches"]] == [
        (0, None, 5),
        (1, {"operation": "TRUNCATE", "keepLast": 2}, 2),
    ]


def test_it_stops_at_the_first_failure_unless_told_to_go_on(run: Run, write: Write) -> None:
    steps = [
        {"expect": {"visible": [0]}},
        {"operation": "APPEND", "messages": FIVE[:1]},
        {"operation": "ROLLBACK", "targetBatchIndex": 3},
    ]
    script = write("s.json", {"messages": FIVE, "steps": steps})
    told = run("replay", script)
    assert told.code == 1
    assert "visible is [0, 1, 2, 3, 4], not [0]" in told.out
    assert told.out.splitlines()[-1] == "1 step, 1 failed, 2 not taken"
    on = run("replay", script, "--json", "--keep-going")
    assert on.code == 1
    assert [step["ok"] for step in on.data["steps"]] == [False, True, False]
    assert on.data["final"]["rawCount"] == 6


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"visible": [0, 1]}, "visible is"),
        ({"texts": ["m0"]}, "texts is"),
        ({"hidden": [0]}, "hidden is [], not [0]"),
        ({"rawCount": 4}, "rawCount is 5, not 4"),
        ({"batch": 1}, "batch is 0, not 1"),
        ({"batch": True}, "batch is 0, not true"),
        ({"boundaries": [1]}, "boundaries is [0], not [1]"),
        ({"tokens": 6}, "tokens is 5, not 6"),
        ({"tokensAtMost": 4}, "tokens are 5, not at most 4"),
        ({"tokensAtMost": "9"}, "tokens are 5, not at most '9'"),
        ({"marks": {"a": [1]}}, "marks is {}, not {'a': [1]}"),
        ({"lint": ["G1"]}, "lint is [], not ['G1']"),
        ({"rawCount": 5, "batch": 2}, "batch is 0, not 2"),
    ],
    ids=str,
)
def test_an_expectation_that_does_not_hold_says_what_is(
    run: Run, write: Write, wanted: dict[str, Any], sentence: str
) -> None:
    told = run("replay", write("s.json", {"messages": FIVE, "steps": [{"expect": wanted}]}))
    assert told.code == 1
    assert sentence in told.out


def test_lint_can_be_expected_clean_or_by_its_errors(run: Run, write: Write) -> None:
    steps = [
        {"expect": {"lint": "clean"}},
        {"expect": {"lint": []}},
        {"operation": "CLEAR"},
        {"expect": {"lint": ["G6"]}},
    ]
    assert run("replay", write("s.json", {"messages": FIVE, "steps": steps})).code == 0


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ({"kind": "all", "roles": ["user"]}, [1, 3]),
        ({"kind": "range", "start": 1, "end": 3}, [1, 2]),
        ({"kind": "count"}, 5),
        ({"kind": "between", "start": 0}, []),
        ({"kind": "marked", "label": "x"}, []),
        ({"kind": "search", "text": "M[34]", "regex": True}, [3, 4]),
        ({"kind": "search", "text": "M3", "caseSensitive": True}, []),
        ({"kind": "hidden"}, []),
        ({"kind": "to_raw", "position": 2}, 2),
        ({"kind": "to_visible", "index": 9}, None),
        ({"kind": "blame", "index": 0}, None),
    ],
    ids=str,
)
def test_every_kind_of_query_is_answered(
    run: Run, write: Write, query: dict[str, Any], answer: Any
) -> None:
    told = run("replay", "--json", write("s.json", {"messages": FIVE, "steps": [{"query": query}]}))
    assert told.code == 0
    assert told.data["steps"][0]["result"] == answer


@pytest.mark.parametrize(
    "step",
    [
        {"query": {"kind": "recent", "k": -1}, "refused": "0 or more"},
        {"query": {"kind": "recent", "k": None}, "refused": True},
        {"operation": "EXPLODE", "refused": "'EXPLODE' is not an operation"},
        {"list": [{"operation": "CLEAR"}, {"operation": "UNDO"}], "refused": "step 1"},
        {"operation": "TRUNCATE", "keepLast": 1, "refused": False},
        [{"operation": "CLEAR"}, {"operation": "ROLLBACK", "targetBatchIndex": 0}],
    ],
    ids=str,
)
def test_a_step_can_be_refused_a_list_or_both(run: Run, write: Write, step: Any) -> None:
    assert run("replay", write("s.json", {"messages": FIVE, "steps": [step]})).code == 0


def test_an_acceptance_fails_a_step_that_should_be_refused(run: Run, write: Write) -> None:
    steps = [{"operation": "CLEAR", "refused": True}]
    told = run("replay", write("s.json", {"messages": FIVE, "steps": steps}))
    assert told.code == 1
    assert "should have been refused" in told.out
    steps = [{"operation": "ROLLBACK", "targetBatchIndex": 7, "refused": "nothing to undo"}]
    told = run("replay", write("s.json", {"messages": FIVE, "steps": steps}))
    assert told.code == 1
    assert "another sentence" in told.out


@pytest.mark.parametrize(
    "script",
    [
        [],
        "text",
        {"steps": 5},
        {"steps": [7]},
        {"messages": [{"role": "user"}], "steps": []},
        {"steps": [], "extra": 1},
        {"steps": [{"expect": {"colour": 1}}]},
        {"steps": [{"expect": {}}]},
        {"steps": [{"query": {"kind": "guess"}}]},
        {"steps": [{"query": {"kind": "recent"}}]},
        {"steps": [{"query": {"kind": "hidden", "k": 1}}]},
        {"steps": [{"query": {"kind": "count"}, "more": 1}]},
        {"steps": [{"operation": "CLEAR", "refused": 1}]},
        {"settings": {"tokenLimit": -1}, "steps": []},
    ],
    ids=str,
)
def test_what_is_no_script_is_bad_input(run: Run, write: Write, script: Any) -> None:
    told = run("replay", write("s.json", script))
    assert told.code == 2
    assert told.out == ""
    assert told.err.startswith("ctxtui: ")
    assert told.err.count("\n") == 1


def test_a_dash_reads_standard_input(run: Run) -> None:
    told = run("replay", "-", "--json", stdin='{"steps": [{"query": {"kind": "count"}}]}')
    assert told.data["steps"][0]["result"] == 0


def steps_of(run: Run, script: Path) -> list[Any]:
    told = run("replay", script, "--json", "--keep-going")
    return [step["error"] for step in told.data["steps"]]


def test_expectations_of_what_is_sent_and_what_is_not(run: Run, write: Write) -> None:
    script = write(
        "s.json",
        {
            "messages": FIVE,
            "steps": [
                {"operation": "MARK", "indices": [1, 3], "label": "asked"},
                {"operation": "TRUNCATE", "keepFirst": 2},
                {"expect": {"contains": [1, 0], "lacks": [4], "prefixAtLeast": 2}},
                {"expect": {"contains": [1, 4]}},
                {"expect": {"lacks": [0, 4]}},
                {"expect": {"marksVisible": ["asked"]}},
                {"expect": {"marksVisible": ["other"]}},
                {"expect": {"prefixAtLeast": 3}},
                {"operation": "ROLLBACK", "targetBatchIndex": 0},
                {"expect": {"marksVisible": ["asked"], "contains": [], "prefixAtLeast": 2}},
            ],
        },
    )
    assert steps_of(run, script) == [
        None,
        None,
        None,
        "[4] is not visible",
        "[0] is visible",
        "not visible, though marked: 'asked' [3]",
        "no message is marked 'other'",
        "the common prefix has 2 tokens, not 3",
        None,
        None,
    ]


@pytest.mark.parametrize(
    "expect",
    [
        {"contains": 4},
        {"lacks": ["0"]},
        {"marksVisible": "rule"},
        {"prefixAtLeast": "a"},
        {"prefixAtLeast": -1},
    ],
)
def test_an_expectation_that_can_t_be_read_is_bad_input(
    run: Run, write: Write, expect: dict[str, Any]
) -> None:
    told = run("replay", write("s.json", {"messages": FIVE, "steps": [{"expect": expect}]}))
    assert told.code == 2
    assert next(iter(expect)) in told.err


def test_a_query_may_expect_its_answer(run: Run, write: Write) -> None:
    count = {"kind": "count", "roles": ["user"]}
    script = write(
        "s.json",
        {
            "messages": FIVE,
            "steps": [
                {"query": count, "expect": 2},
                {"query": count, "expect": 3},
                {"query": {"kind": "to_visible", "index": 9}, "expect": None},
                {"query": {"kind": "recent", "k": -1}, "refused": True},
            ],
        },
    )
    assert steps_of(run, script) == [None, "the answer is 2, not 3", None, None]
    bad = write("t.json", {"steps": [{"query": count, "expected": 2}]})
    told = run("replay", bad)
    assert told.code == 2
    assert "'expected' is given next to query; only expect and refused may be" in told.err


def test_a_step_runs_a_policy_of_a_file_or_its_own(run: Run, write: Write) -> None:
    write("window.json", [{"operation": "TRUNCATE", "keepLast": 2}])
    odd = {"do": [{"operation": "DELETE", "indices": [0]}]}
    script = write(
        "s.json",
        {
            "messages": FIVE,
            "steps": [
                {"policy": "window.json"},
                {"policy": {"when": {"messagesAbove": 9}, "do": [{"operation": "CLEAR"}]}},
                {"expect": {"visible": [3, 4], "batch": 1}},
                {"policy": odd, "refused": "not visible"},
                {"policy": odd},
            ],
        },
    )
    told = run("replay", script, "--json")
    assert told.code == 1
    first, second, _, refused, failed = told.data["steps"]
    assert first["policy"]["name"] == "window.json"
    assert first["result"] == {"acted": True, "refused": []}
    assert (first["createdBatch"], first["tokens"]["after"]) == (True, 2)
    assert (second["result"]["acted"], second["createdBatch"]) == (False, False)
    assert refused["refusal"].startswith("stage 0: step 0: indices 0 is not visible")
    assert failed["error"].startswith("stage 0: step 0: indices 0 is not visible")
    lines = run("replay", script).out.splitlines()
    assert lines[0] == "✓   0  policy window.json: batch 1, 2 visible, 5 → 2 tokens"
    assert lines[1] == "✓   1  policy: nothing to do"
    missing = run("replay", write("t.json", {"steps": [{"policy": "none.json"}]}))
    assert missing.code == 2
    assert "none.json" in missing.err
