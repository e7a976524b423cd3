"""What was run, as a page tells it: the plan in words, and what each step did to how many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ctxtui.pages.corpus.charts import bar
from ctxtui.pages.corpus.markup import Html, cut, cut_path, element, joined, plural
from ctxtui.render.text.severity import ERROR, PASSED
from ctxtui.words import percent

Report = dict[str, Any]
MOST_SOURCES = 12
CAN_DROP = {"dedupe", "length", "lint"}
"""Steps of which one wants to know that they dropped nothing."""


def plan_words(report: Report) -> Html:
    """Return where conversations came from, how they were read and how they are written."""
    plan, sink = report["plan"], report["plan"]["sink"]
    read = "as each file says" if plan["from"] is None else plan["from"]
    written = f"{sink['to']}, {plural(sink['shard'], 'conversation')} to a file, {sink['as']}"
    rows = {
        "sources": _sources(plan["sources"]),
        "read as": read,
        "written as": written,
        "lint by": f"the rules of {report['profile']}",
    }
    pairs = (joined([element("dt", name), element("dd", said)]) for name, said in rows.items())
    return element("dl", *pairs, class_="plan")


def _sources(sources: Sequence[str]) -> Html:
    shown = [element("code", cut_path(one)) for one in sources[:MOST_SOURCES]]
    more = len(sources) - len(shown)
    rest = element("span", f"and {more:,} more", class_="faint") if more else None
    return joined(child for one in (*shown, rest) if one for child in (one, " "))


def funnel(report: Report) -> Html:
    """Return what was read and what is left of it after every step, one bar below the other."""
    records, kept = report["records"], report["kept"]
    left = records
    rows = [_row("", "read", (), left, bar([("read", left)], records, f"{left:,} read"))]
    if bad := report["unreadable"]:
        left -= bad
        rows.append(
            _row(ERROR.glyph, "unreadable", [_gone(bad, "error")], left, _fall(left, bad, report))
        )
    for number, step in enumerate(report["steps"], 1):
        left -= step["dropped"]
        drawn = _fall(left, step["dropped"], report, "warning")
        rows.append(_row(f"{number:,}", cut(step["words"]), deeds(step), left, drawn))
    share = f"{percent(kept, records)} of what was read"
    did = (share, f"{report['changed']:,} changed") if records else ()
    drawn = bar([("kept", kept)], records, f"{kept:,} kept")
    rows.append(_row(PASSED.glyph if kept else "", "kept", map(_deed, did), kept, drawn))
    return element("ol", *rows, class_="funnel")


def _fall(left: int, gone: int, report: Report, kind: str = "error") -> Html:
    """Return a bar of what is left, and at its end what went."""
    return bar([("stays", left), (kind, gone)], report["records"], f"{left:,} left, {gone:,} gone")


def _row(sign: str, words: str, did: Iterable[Html], left: int, drawn: Html) -> Html:
    return element(
        "li",
        element("span", sign, class_="sign"),
        element("div", element("span", words, class_="words"), element("span", *did, class_="did")),
        element("div", drawn, class_="drawn"),
        element("b", left, class_="left"),
    )


def _deed(words: str) -> Html:
    return element("span", words)


def _gone(count: int, kind: str) -> Html:
    return element("span", f"− {count:,}", class_=kind)


def deeds(step: Report) -> Iterator[Html]:
    """Yield what a step did: to how many, and what was refused or found."""
    if step["dropped"]:
        yield element("span", f"− {step['dropped']:,} dropped", class_="warning")
    if "acted" in step:
        yield _deed(f"acted on {plural(step['acted'], 'conversation')}")
    if "refused" in step:
        refused = ERROR.text(f"refused in {plural(step['refused'], 'conversation')}")
        yield element("span", refused, class_="error")
    if hits := step.get("hits"):
        found = ", ".join(f"{count:,} × {cut(name, 80)}" for name, count in hits.items())
        yield _deed(f"{found} in {plural(step['changed'], 'conversation')}")
    if "runs" in step:
        yield _deed(f"{plural(len(step['runs']), 'policy', 'policies')} compared below")
    if not step["dropped"] and CAN_DROP & {*step["step"]}:
        yield element("span", "dropped none", class_="faint")
