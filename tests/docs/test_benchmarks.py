"""docs/benchmarks.md has every measurement; its rows, its judges and its writer can be trusted."""

from __future__ import annotations

import json
import re
import tomllib
from itertools import combinations

import pytest

from tests.benchmarks.peers.figures import Cuts, Figures, Line, Point
from tests.benchmarks.peers.judge import is_broken, lint_objects
from tests.benchmarks.peers.libraries import ctxtui
from tests.benchmarks.peers.page import BEGIN, END, size, time, with_figures, written
from tests.benchmarks.peers.peer import CutWay
from tests.benchmarks.peers.rows import Row, judged_rows, plain_rows, rows_of, tool_rows
from tests.benchmarks.peers.running import judged
from tests.benchmarks.peers.tasks import BY_KEY, LONGEST_CUT, TASKS
from tests.docs.pages import ROOT, page

PAGE = page("docs/benchmarks.md")
PINS = ROOT / "tests" / "benchmarks" / "peers" / "constraints.txt"
LIBRARIES = (
    "langchain-core",
    "langgraph",
    "autogen-core",
    "openai-agents",
    "llama-index-core",
    "agent-framework-core",
    "ctxtui",
)
MOST_LINES = 125


def made_up() -> Figures:
    found = Figures(dict.fromkeys(LIBRARIES, "1.2"), ["2 cores"], sync=0.0005)
    base = Line("langchain-core", "`convert`", paused=Point(0.3))
    base.points = {1_000: Point(0.005), 10_000: Point(0.05), 100_000: Point(0.6)}
    ours = Line("ctxtui", "`load`", paused=Point(0.2))
    ours.points = {1_000: Point(0.0000025), 10_000: Point(0.02), 100_000: Point(0.24)}
    slow = Line("autogen-core", "slowly", points={1_000: Point(4.0), 10_000: Point(None)})
    kept = Line("ctxtui", "APPEND", True, {1_000: Point(0.001, 5, 150), 10_000: Point(2, 1, 2600)})
    cut = Line("ctxtui", "TRUNCATE", cuts=Cuts(broken=30, lint=30, empty=5, of=60))
    odd = Line("langgraph", "by hand", cuts=Cuts(broken=3, lint=2, empty=0, of=60))
    found.lines = {"build-plain": [base, slow, ours], "disk": [kept], "cuts": [cut, odd]}
    found.missing = {"disk": {"langchain-core": "has no files"}}
    return found


@pytest.mark.parametrize("kind", ["plain", "tools"])
def test_rows_are_as_many_as_asked_for_and_the_same_each_time(kind: str) -> None:
    for count in (1, 7, 1_000):
        rows = plain_rows(count) if kind == "plain" else tool_rows(count)
        assert len(rows) == count
        assert rows == rows_of("plain" if kind == "plain" else "tools", count)


def test_rows_of_tools_are_whole_turns_with_parallel_calls() -> None:
    rows = judged_rows()
    assert len(rows) > LONGEST_CUT
    assert not is_broken(rows)
    calls = [call for row in rows for call in row.get("tool_calls", ())]
    assert len({call["id"] for call in calls}) == len(calls) > len(rows) / 3
    assert all(json.loads(call["function"]["arguments"])["path"] for call in calls)


def test_both_judges_say_the_same_of_every_stretch() -> None:
    rows = tool_rows(12, parallel=3)
    stretches = [rows[start:stop] for start, stop in combinations(range(len(rows) + 1), 2)]
    verdicts = [is_broken(stretch) for stretch in stretches]
    assert verdicts == [lint_objects(stretch) for stretch in stretches]
    assert {True, False} == set(verdicts)


@pytest.mark.parametrize("gone", [1, 2, 3])
def test_a_turn_without_its_call_or_one_of_its_results_is_broken(gone: int) -> None:
    turn = tool_rows(5)
    assert not is_broken(turn)
    assert is_broken(turn[:gone] + turn[gone + 1 :])
    assert judged([turn, [], turn[:gone]]).empty == 1


def test_a_result_that_is_given_twice_is_broken() -> None:
    call, *results = tool_rows(4)[1:]
    assert is_broken([call, *results, results[0]])


@pytest.mark.parametrize(("place", "is_whole"), [(0, False), (1, True), (2, True)])
def test_only_cuts_that_keep_pairs_leave_them_whole(place: int, is_whole: bool) -> None:
    way = ctxtui.PEER.ways["cuts"][place]
    assert isinstance(way, CutWay)
    left: list[list[Row]] = []
    for count in range(1, 20):
        found = way.cut(judged_rows(), count)
        assert isinstance(found, list)
        left.append(found)
    assert any(map(is_broken, left)) is not is_whole


def test_a_library_that_did_something_else_is_not_timed() -> None:
    done = {
        key: [n for n in (3, 50, 400, 500, 1_000) if BY_KEY[key].is_done(1_000, n)]
        for key in BY_KEY
    }
    assert done["keep"] == [50]
    assert done["role"] == [3]
    assert done["trim"] == [400, 500]
    assert done["build-plain"] == done["replace"] == [1_000]


def test_times_and_sizes_have_the_unit_that_suits_them() -> None:
    assert [time(3), time(0.25), time(0.00004)] == ["3.0 s", "250 ms", "40 µs"]
    assert [size(7), size(2_600), size(4_500_000)] == ["7 B", "2.6 kB", "4.5 MB"]


def test_figures_are_written_as_tables_with_speeds_reasons_and_what_took_too_long() -> None:
    text = written(made_up())
    assert text.startswith("2 cores; langchain-core 1.2, langgraph 1.2, ")
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert rows == [
        "| library | by | 1k | 10k | 100k | × | 100k, off | × |",
        "| langchain-core | `convert` | 5.0 ms | 50 ms | 600 ms | 1.0 | 300 ms | 1.0 |",
        "| autogen-core | slowly | 4.0 s | over 10 s | not tried | – | not tried | – |",
        "| **ctxtui** | `load` | 2.5 µs | 20 ms | 240 ms | 2.5 | 200 ms | 1.5 |",
        "| library | by | fsync | 1k | 10k | 1k: grows by | 10k: grows by |",
        "| **ctxtui** | APPEND | yes | 1.0 ms | 2.0 s | 150 B | 2.6 kB |",
        "| library | by | parted | empty |",
        "| **ctxtui** | TRUNCATE | 30 of 60 | 5 |",
        "| langgraph | by hand | 3 (lint: 2) of 60 | 0 |",
    ]
    assert "– langchain-core (has no files)." in text
    assert "500 µs to keep 4 KiB" in text


def test_only_the_marked_part_of_a_page_is_written_anew() -> None:
    before = f"# Title\n\n{BEGIN}\nold figures\n{END}\n\nby hand\n"
    after = with_figures(before, made_up())
    assert after.startswith(f"# Title\n\n{BEGIN}\n")
    assert after.endswith(f"{END}\n\nby hand\n")
    assert "old figures" not in after
    assert with_figures(after, made_up()) == after


@pytest.mark.parametrize("text", ["", BEGIN, f"{END}\n{BEGIN}", f"{BEGIN}{BEGIN}{END}"])
def test_a_page_without_its_two_marks_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="the page needs one line"):
        with_figures(text, made_up())


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.key)
def test_the_page_has_every_task_with_each_library_or_the_reason_why_not(task: object) -> None:
    assert isinstance(task, type(TASKS[0]))
    part = PAGE.text.split(BEGIN)[1].split(END)[0]
    section = part.split(f"### {task.title}\n")[1].split("###")[0]
    for name in LIBRARIES:
        rows = re.findall(rf"^\| \**{name}\** \| (.+) \|$", section, re.MULTILINE)
        assert rows or f"{name} (" in section
        assert all(re.search(r"\d (?:µs|ms|s)\b|\d of \d", row) for row in rows)


def test_the_page_is_short_and_tells_every_version_that_is_pinned() -> None:
    assert len(PAGE.text.splitlines()) <= MOST_LINES
    pins = dict(re.findall(r"^([\w.-]+)==(\S+)$", PINS.read_text(encoding="utf-8"), re.MULTILINE))
    for name in LIBRARIES[:-1]:
        assert f"{name} {pins[name]}" in PAGE.text


def test_everything_that_is_measured_is_pinned_and_no_index_is_named() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {re.split(r"[<>=]", one)[0] for one in project["optional-dependencies"]["peers"]}
    lines = PINS.read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.!+]+", line) for line in pins)
    assert wanted <= {line.partition("==")[0] for line in pins}
