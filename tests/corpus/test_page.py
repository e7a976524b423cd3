"""The page of a report: it tells every figure, needs nothing else, and no text in it acts."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core.corpus import LocalEngine, run_plan
from ctxtui.core.corpus.work_folder import MANIFEST, PAGE, REPORT
from ctxtui.pages.corpus import bar, page_of, paired, write_page
from ctxtui.pages.markup import short, size_in_words
from ctxtui.text.plurals import percent
from ctxtui.text.symbols import unsafe
from tests.corpus.generated import write
from tests.corpus.reports import STEPS, Report, empty, full, plan_with, spoilt
from tests.ui.hostility import HOSTILE

EMPTY_MESSAGE = ("meta",)
MARKUP = "</td></section><script>alert(1)</script><img src=x onerror=alert(1)> \"'&amp;<!-- ]]>"
NOT_TOLD = ("plan", "step", "version", "below")
"""What is told as JSON, in other words, or as the last number before it."""


class Page(HTMLParser):
    """A page as a browser takes it: its elements, its texts and its links."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.shape: list[tuple[str, ...]] = []
        self.texts: list[str] = []
        self.links: list[str] = []
        self.values: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == [], "every element ends"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.shape.append((tag, *(name for name, _ in attrs)))
        self.values += [value or "" for _, value in attrs]
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        if tag not in EMPTY_MESSAGE:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    @property
    def tags(self) -> set[str]:
        return {tag for tag, *_ in self.shape}


def figures_of(report: Any, key: str = "") -> list[int]:
    match report:
        case dict():
            told = ((name, one) for name, one in report.items() if name not in NOT_TOLD)
            return [figure for name, one in told for figure in figures_of(one, name)]
        case list():
            return [figure for one in report for figure in figures_of(one, key)]
        case int():
            return [report]
    return []


def test_every_figure_of_a_report_is_on_its_page() -> None:
    report = full()
    told = set(re.findall(r"\d[\d,]*", Page(page_of(report)).text))
    figures = figures_of(report)
    assert len(set(figures)) > 200
    assert [figure for figure in figures if f"{figure:,}" not in told] == []


def test_the_funnel_says_what_is_left_after_every_step() -> None:
    report = full()
    page = page_of(report)
    left = [int(one.replace(",", "")) for one in re.findall(r'<b class="left">([\d,]+)</b>', page)]
    gone = [report["unreadable"], *(step["dropped"] for step in report["steps"])]
    assert left[0] == report["records"]
    assert [one - other for one, other in pairwise(left)] == [*gone, 0]
    assert left[-1] == report["kept"]


def test_sections_stand_in_their_order() -> None:
    titles = re.findall(r"<h2>(.*?)</h2>", page_of(full()))
    assert titles == [
        "What was run",
        "Figures",
        "Tokens of a conversation",
        "Lint by the rules of generic",
        "Policies compared",
        "The 20 worst conversations",
        "Problems and losses",
        "Files of this run",
    ]


def test_errors_stand_before_warnings_and_a_rule_may_be_both() -> None:
    page = page_of(full())
    rows = re.findall(r"([✖▲]) (?:error|warning)</span></span></td><td[^>]*><span>(\w+)<", page)
    assert rows == [("✖", "G1"), ("✖", "G2"), ("▲", "G2"), ("▲", "G8")]


def test_the_best_of_a_column_is_emphasised_where_policies_differ() -> None:
    report = full()
    one, other = report["steps"][-1]["runs"]
    one |= {"broken": 0, "peak": 5, "tokensSent": 900_001, "acted": 0}
    other |= {"broken": 8, "peak": 5, "tokensSent": 800_002, "acted": 9}
    best = re.findall(r"<strong>(.*?)</strong>", page_of(report))
    assert "0" in best
    assert "800,002" in best
    assert not {"5", "8", "9", "900,001", "77"} & {*best}


def test_a_policy_that_saw_fewer_runs_is_never_the_best() -> None:
    report = full()
    one, other = report["steps"][-1]["runs"]
    one["runs"] = 3
    page = page_of(report)
    assert "among those that saw all runs" in page
    assert "<strong>" not in page
    assert one["broken"] < other["broken"]


@pytest.mark.parametrize("text", [HOSTILE, MARKUP, "\u202eevil\ud800", "x" * 10_240])
def test_no_text_changes_what_a_page_is_made_of(text: str) -> None:
    good, bad = Page(page_of(full())), page_of(spoilt(full(), text))
    assert Page(bad).shape == good.shape
    assert unsafe(bad.replace("\n", "")) is None
    assert bad == bad.encode().decode()


def test_hostile_text_is_shown_and_does_not_act() -> None:
    report = full()
    report["worst"][0]["title"] = "<b>\x1b[2J\u202e</b>"
    assert "<b>␛[2J·</b>" in Page(page_of(report)).text
    assert Page(page_of(spoilt(full(), MARKUP))).text.count("<script>alert(1)</script>") > 30


def test_a_long_title_is_cut_and_its_length_told() -> None:
    report = full()
    report["worst"][0]["title"] = "x" * 10_240
    page = page_of(report)
    assert "x… (10,240 characters)" in page
    assert "x" * 200 not in page


def test_a_long_path_keeps_its_end() -> None:
    report = full()
    report["bad"][0]["source"] = f"{'deep/' * 1_000}last.jsonl"
    page = page_of(report)
    assert "deep/last.jsonl" in page
    assert "deep/" * 100 not in page


@pytest.mark.parametrize("report", [empty(), full(), spoilt(full(), MARKUP)])
def test_a_page_loads_nothing_and_runs_nothing(report: Report) -> None:
    text = page_of(report)
    page = Page(text)
    assert not page.tags & {"script", "img", "link", "iframe", "object", "base", "form"}
    assert not [name for _, *names in page.shape for name in names if name.startswith("on")]
    assert not [value for value in page.values if "//" in value]
    style = text[text.index("<style>") : text.index("</style>")]
    assert not re.search(r"url\(|@import|//", style)
    assert "default-src &#x27;none&#x27;" in text


def test_all_links_of_a_run_point_to_files_beside_the_page(tmp_path: Path) -> None:
    write(tmp_path / "data.jsonl", 60)
    plan = plan_with(STEPS, "out", "data.jsonl")
    ran = run_plan(plan, LocalEngine(1), base=tmp_path)
    write_page(ran)
    text = (ran.out / PAGE).read_text(encoding="utf-8")
    links = Page(text).links
    assert text == page_of(json.loads((ran.out / REPORT).read_text(encoding="utf-8")))
    assert {MANIFEST, REPORT, "part-00000.jsonl", "worst/01.json", "worst/20.json"} <= {*links}
    assert [link for link in links if not (ran.out / link).is_file()] == []
    for link in (link for link in links if link.startswith("worst/")):
        assert f">ctxtui {link}</code>" in text


def test_files_of_the_sink_are_named_from_the_first_to_the_last() -> None:
    report = full()
    report["kept"], report["plan"]["sink"]["shard"] = 25_001, 10_000
    links = Page(page_of(report)).links
    assert [link for link in links if link.startswith("part-")] == [
        "part-00000.jsonl",
        "part-00002.jsonl",
    ]


def test_a_run_that_read_nothing_has_a_page() -> None:
    text = page_of(empty())
    assert "<h1>Nothing was read</h1>" in text
    assert "✓</span> No record was unreadable." in text
    assert {*Page(text).links} == {MANIFEST, REPORT}
    assert re.findall(r"<h2>(.*?)</h2>", text) == [
        "What was run",
        "Figures",
        "Problems and losses",
        "Files of this run",
    ]


def test_a_run_that_kept_nothing_has_a_page() -> None:
    report = full()
    report |= {"kept": 0, "changed": 0, "worst": [], "after": empty()["after"], "lost": {}}
    text = page_of(report)
    assert f"<h1>0 of {report['records']:,} records kept</h1>" in text
    assert "worst conversation" not in text
    assert not [link for link in Page(text).links if link.startswith("part-")]


def test_good_news_is_told_where_nothing_is_wrong() -> None:
    report = full()
    report |= {"unreadable": 0, "bad": [], "refused": [], "lost": {}, "remarks": {}}
    for size in ("before", "after"):
        report[size] |= {"errors": {}, "warnings": {}}
    for one in report["worst"]:
        one |= {"errors": 0, "brokenCalls": 0, "warnings": 0, "rules": []}
    text = Page(page_of(report)).text
    for words in (
        "No record was unreadable.",
        "No stage of a policy was refused.",
        "Nothing was lost when writing openai.",
        "No conversation breaks a rule, neither before nor after.",
        "None has an error, a broken call or a warning; these are the largest.",
    ):
        assert f"✓ {words}" in text
    assert "Remarks" not in text


def test_lists_that_were_cut_say_so() -> None:
    report = full()
    assert "are listed" not in page_of(report | {"unreadable": 1})
    report |= {"bad": report["bad"] * 50, "refused": report["refused"] * 50}
    text = page_of(report)
    assert "The first 50 are listed; the manifest has all." in text
    assert "the other stages are applied. The first 50 are listed." in text


def test_many_sources_are_counted() -> None:
    report = full()
    report["plan"]["sources"] = [f"data/{number}.jsonl" for number in range(1_500)]
    text = page_of(report)
    assert "<code>data/11.jsonl</code>" in text
    assert "<code>data/12.jsonl</code>" not in text
    assert "and 1,488 more" in text


def test_the_plan_can_be_copied_from_the_page() -> None:
    report = spoilt(full(), HOSTILE)
    found = re.search(r"<pre>(.*?)</pre>", page_of(report), re.DOTALL)
    assert found is not None
    assert json.loads(Page(found[0]).texts[0]) == report["plan"]


def test_both_histograms_share_their_buckets() -> None:
    before = [{"from": 0, "below": 1, "count": 3}, {"from": 1, "below": 2, "count": 4}]
    after = [{"from": 4, "below": 8, "count": 5}]
    assert paired(before, after) == [(0, 1, 3, 0), (1, 2, 4, 0), (2, 4, 0, 0), (4, 8, 0, 5)]
    assert paired(before, []) == [(0, 1, 3, 0), (1, 2, 4, 0)]
    assert paired([], []) == []


@pytest.mark.parametrize("parts", [(1_000_000, 1), (1, 1_000_000), (0, 5), (999_999, 2)])
def test_a_sliver_of_a_bar_is_seen_and_stays_on_the_track(parts: tuple[int, int]) -> None:
    drawn = bar([("a", parts[0]), ("b", parts[1])], sum(parts), "")
    rects = re.findall(r'x="([\d.]+)%" y="0" width="([\d.]+)%"', drawn)
    assert len(rects) == 1 + sum(count > 0 for count in parts)
    for x, width in rects:
        assert float(width) > 0.5
        assert float(x) + float(width) < 100.02


@pytest.mark.parametrize(
    ("part", "whole", "said"),
    [
        (0, 0, "–"),
        (0, 9, "0 %"),
        (1, 10**6, "<1 %"),
        (10**6 - 1, 10**6, ">99 %"),
        (5, 5, "100 %"),
        (9_996, 10_000, ">99 %"),
        (10_004, 10_000, ">100 %"),
        (0.9996, 1, ">99 %"),
        (3, 2, "150 %"),
        (2, 3, "67 %"),
    ],
)
def test_a_share_is_0_or_100_only_if_it_is_none_or_all(
    part: float, whole: float, said: str
) -> None:
    assert percent(part, whole) == said


def test_numbers_are_short_on_an_axis_and_sizes_exact_too() -> None:
    assert [short(n) for n in (0, 512, 1024, 131_072, 2_000_000, 1 << 31)] == [
        "0",
        "512",
        "1.0k",
        "131k",
        "2M",
        "2.1G",
    ]
    assert size_in_words(1) == "1 byte"
    assert size_in_words(11_005_429) == "11.0 MB (11,005,429 bytes)"
