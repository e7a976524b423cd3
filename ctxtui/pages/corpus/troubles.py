"""The end of a report's page: what went wrong or was left out, and what lies beside the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from typing import Any

from ctxtui.core.corpus.work_folder import MANIFEST, REPORT
from ctxtui.core.corpus.writing import MOST_TOLD, part_name
from ctxtui.pages.corpus.markup import (
    Child,
    Html,
    element,
    good_news,
    joined,
    plural,
    section,
    sentence,
)
from ctxtui.pages.corpus.tables import counts_table, remarks_table, trouble_table
from ctxtui.symbols import escaped

Report = dict[str, Any]


def troubles(report: Report) -> Html:
    """Return what could not be read, done, or written."""
    return section(
        "What went wrong, or was left out",
        *_unreadable(report),
        *_refused(report),
        *_adapted(report),
        *_lost(report),
        *_remarks(report),
    )


def _unreadable(report: Report) -> Iterator[Child]:
    count, rows = report["unreadable"], report["bad"]
    if not count:
        yield good_news("No record was unreadable.")
        return
    yield element("h3", "Unreadable records")
    listed = f" The first {len(rows):,} are listed; the manifest has all."
    more = listed if count > len(rows) else ""
    yield sentence(f"{plural(count, 'record')} could not be read.{more}")
    yield trouble_table(rows)


def _refused(report: Report) -> Iterator[Child]:
    rows = report["refused"]
    if rows:
        yield element("h3", "Refused stages")
        more = f" The first {len(rows):,} are listed." if len(rows) >= MOST_TOLD else ""
        yield sentence(f"A stage that is refused changes nothing; the others are done.{more}")
        yield trouble_table(rows, report["steps"])
    elif any("acted" in step for step in report["steps"]):
        yield good_news("No stage of a policy was refused.")


def _adapted(report: Report) -> Iterator[Child]:
    if report["adapted"]:
        readable = report["records"] - report["unreadable"]
        yield element("h3", "What was read differently than it stood there")
        yield counts_table(report["adapted"], readable, "conversations")


def _lost(report: Report) -> Iterator[Child]:
    name = report["plan"]["sink"]["to"]
    if report["lost"]:
        yield element("h3", f"What was lost on the way to {name}")
        yield counts_table(report["lost"], report["kept"], "conversations")
    elif report["kept"]:
        yield good_news(f"No loss was noted on the way to {name}.")


def _remarks(report: Report) -> Iterator[Child]:
    if report["remarks"]:
        yield element("h3", "Remarks about files")
        yield remarks_table(report["remarks"], report["files"])


def beside(report: Report) -> Html:
    """Return which files there are, and the plan, to do it again."""
    rows = [
        *_parts(report),
        (_link(MANIFEST), "a line for each record: what became of it, and why"),
        (_link(REPORT), "this report as data"),
    ]
    told = (joined([element("dt", name), element("dd", said)]) for name, said in rows)
    text = escaped(json.dumps(report["plan"], ensure_ascii=False, indent=2))
    plan = element("pre", Html(escape(text)))
    details = element("details", element("summary", "The plan as JSON"), plan)
    return section("Beside this page", element("dl", *told, class_="plan"), details)


def _parts(report: Report) -> Iterator[tuple[Html, str]]:
    """Yield the files of the sink, the first and the last of them by name."""
    kept, sink = report["kept"], report["plan"]["sink"]
    if not kept:
        return
    count = -(-kept // sink["shard"])
    names: list[Child] = [_link(part_name(0, sink["as"]))]
    if count > 1:
        names += [" … ", _link(part_name(count - 1, sink["as"]))]
    said = f"{plural(kept, 'conversation')} in {plural(count, 'file')}, in the order of the sources"
    yield joined(names), said


def _link(name: str) -> Html:
    return element("a", name, href=name)
