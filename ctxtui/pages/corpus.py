"""The report of a corpus run as a page: one HTML file that needs nothing else.

Sections are in the order of the page, then its tables, then its charts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from html import escape
from math import ceil
from pathlib import Path
from typing import Any

from ctxtui.core.corpus import RunResult
from ctxtui.core.corpus.shards import MOST_TOLD, part_name
from ctxtui.core.corpus.work_folder import MANIFEST, PAGE, REPORT, write_output
from ctxtui.core.lint import rule_named
from ctxtui.pages.markup import (
    Child,
    Html,
    cut,
    cut_path,
    dl,
    element,
    good_news,
    joined,
    page,
    section,
    sentence,
    short,
    size_in_words,
    span,
)
from ctxtui.text.icons import ERROR, PASSED, WARNING
from ctxtui.text.plurals import percent, plural
from ctxtui.text.symbols import escaped

Report = dict[str, Any]
CAN_DROP = {"dedupe", "length", "lint"}
"""Steps whose row says that they dropped nothing."""
MOST_SOURCES = 12
NAMED_SOURCES = 5
"""Files that are named with a warning."""
SIGNS = {"errors": (ERROR.glyph, "error"), "warnings": (WARNING.glyph, "warning")}
"""The symbol and name of each severity."""
RUN_COLUMNS = {
    "runs": "runs",
    "calls": "calls",
    "broken": "broken calls",
    "brokenRuns": "runs with a broken call",
    "withoutMarked": "calls without a mark",
    "tokensSent": "tokens sent",
    "tokensOutsidePrefix": "outside the cached prefix",
    "peak": "peak",
    "overLimit": "calls over the limit",
    "acted": "acted",
    "refused": "refused",
}
"""The figures of a policy over all runs, with their names."""
RARE = ("withoutMarked",)
"""Figures that are shown only if they are not 0."""
NEITHER = ("runs", "calls", "acted")
"""Figures that are neither good nor bad; for the others less is better."""
WORST_COLUMNS = {
    "errors": "errors",
    "brokenCalls": "broken calls",
    "warnings": "warnings",
    "messages": "messages",
    "tokens": "tokens",
}
"""The figures of the worst conversations, with their names."""


def page_of(report: Report) -> str:
    """Return the page."""
    main = element(
        "main",
        _header(report),
        _run(report),
        _figures(report),
        *_tokens(report),
        *_lint(report),
        *_policies(report),
        *_worst(report),
        _problems(report),
        _files(report),
    )
    return page(f"Corpus run: {_outcome(report)}", main, style="corpus.css")


def write_page(ran: RunResult) -> Path:
    """Write the page of a run next to its report; one that exists for a finished run is kept."""
    path = ran.out / PAGE
    if not (ran.was_done and os.path.lexists(path)):
        write_output(ran.out, PAGE, page_of(ran.report).encode("utf-8", "surrogatepass"))
    return path


def _outcome(report: Report) -> str:
    """Return the result of the run in a few words."""
    if not report["records"]:
        return "nothing was read"
    return f"{report['kept']:,} of {plural(report['records'], 'record')} kept"


def _header(report: Report) -> Html:
    words = [f"{percent(report['kept'], report['records'])}"] if report["records"] else []
    words += [f"{report[name]:,} {name}" for name in ("dropped", "unreadable") if report[name]]
    return element(
        "header",
        element("p", "Corpus run", class_="kind"),
        element("h1", _outcome(report).capitalize()),
        element("p", " · ".join(words), class_="faint") if words else None,
    )


def _run(report: Report) -> Html:
    none = sentence("There are no steps: everything that can be read is kept.")
    steps = None if report["steps"] else none
    return section("What was run", _plan(report), steps, _funnel(report))


def _plan(report: Report) -> Html:
    plan, sink = report["plan"], report["plan"]["sink"]
    read = "as each file says" if plan["from"] is None else plan["from"]
    written = f"{sink['to']}, {plural(sink['shard'], 'conversation')} to a file, {sink['as']}"
    lint = f"the rules of {report['profile']}"
    sources = _sources(plan["sources"])
    rows = {"sources": sources, "read as": read, "written as": written, "lint by": lint}
    return dl("plan", rows.items())


def _sources(sources: Sequence[str]) -> Html:
    shown = [element("code", cut_path(one)) for one in sources[:MOST_SOURCES]]
    more = len(sources) - len(shown)
    rest = span("faint", f"and {more:,} more") if more else None
    return joined(child for one in (*shown, rest) if one for child in (one, " "))


def _funnel(report: Report) -> Html:
    """Return what was read and what is left of it after every step, a bar for each."""
    records, kept = report["records"], report["kept"]
    left = records
    rows = [_row("", "read", (), left, bar([("read", left)], records, f"{left:,} read"))]
    if bad := report["unreadable"]:
        left -= bad
        lost = span("error", f"− {bad:,}")
        rows.append(_row(ERROR.glyph, "unreadable", [lost], left, _fall(left, bad, report)))
    for number, step in enumerate(report["steps"], 1):
        left -= step["dropped"]
        drawn = _fall(left, step["dropped"], report, "warning")
        rows.append(_row(f"{number:,}", cut(step["words"]), _effects(step), left, drawn))
    share = f"{percent(kept, records)} of what was read"
    did = (share, f"{report['changed']:,} changed") if records else ()
    drawn = bar([("kept", kept)], records, f"{kept:,} kept")
    rows.append(_row(PASSED.glyph if kept else "", "kept", map(_span, did), kept, drawn))
    return element("ol", *rows, class_="funnel")


def _fall(left: int, gone: int, report: Report, kind: str = "error") -> Html:
    """Return a bar of what is left, and at its end what was dropped."""
    said = f"{left:,} left, {gone:,} dropped"
    return bar([("stays", left), (kind, gone)], report["records"], said)


def _row(sign: str, words: str, did: Iterable[Html], left: int, drawn: Html) -> Html:
    return element(
        "li",
        span("sign", sign),
        element("div", span("words", words), span("did", *did)),
        element("div", drawn, class_="drawn"),
        element("b", left, class_="left"),
    )


def _effects(step: Report) -> Iterator[Html]:
    """Yield what a step did, and what was refused or found."""
    if step["dropped"]:
        yield span("warning", f"− {step['dropped']:,} dropped")
    if "acted" in step:
        yield _span(f"acted on {plural(step['acted'], 'conversation')}")
    if "refused" in step:
        refused = ERROR.text(f"refused in {plural(step['refused'], 'conversation')}")
        yield span("error", refused)
    if hits := step.get("hits"):
        found = ", ".join(f"{count:,} × {cut(name, 80)}" for name, count in hits.items())
        yield _span(f"{found} in {plural(step['changed'], 'conversation')}")
    if "runs" in step:
        yield _span(f"{plural(len(step['runs']), 'policy', 'policies')} compared below")
    if not step["dropped"] and CAN_DROP & {*step["step"]}:
        yield span("faint", "dropped none")


def _span(words: str) -> Html:
    return element("span", words)


def _figures(report: Report) -> Html:
    names = ("files", "records", "unreadable", "dropped", "kept", "changed")
    tiles = (element("div", element("dt", name), element("dd", report[name])) for name in names)
    before, then, after = report["before"], report["keptBefore"], report["after"]
    count = after["conversations"]
    rows = (
        (name, n, one["messages"], one["tokens"], round(one["tokens"] / n) if n else "–")
        for name, n, one in (
            ("all that was read", before["conversations"], before),
            ("what is kept, before", count, then),
            ("what is kept, after", count, after),
        )
    )
    figures = ("conversations", "messages", "tokens", "tokens per conversation")
    return section(
        "Figures",
        element("dl", *tiles, class_="tiles"),
        sentence(f"Read {size_in_words(report['bytes'])}. Messages and tokens are visible ones."),
        table(("", *figures), rows, figures),
    )


def _tokens(report: Report) -> Iterator[Html]:
    pairs = paired(report["before"]["histogram"], report["after"]["histogram"])
    if not pairs:
        return
    rows = ((_range(start, below), before, after) for start, below, before, after in pairs)
    legend = _legend(
        before=f"before: {plural(report['before']['conversations'], 'conversation')} read",
        after=f"after: {plural(report['after']['conversations'], 'conversation')} kept",
    )
    behind = table(("tokens", "before", "after"), rows, ("before", "after"), "plain")
    details = element("details", element("summary", "The same as a table"), behind)
    yield section("Tokens of a conversation", legend, _histogram(pairs), details)


def _legend(**words: str) -> Html:
    """Return the meaning of the colours of a chart."""
    return sentence(
        *(span("legend", span(f"key {name}"), f" {said}") for name, said in words.items())
    )


def _lint(report: Report) -> Iterator[Html]:
    before, after = report["before"], report["after"]
    if not before["conversations"]:
        return
    title = f"Lint by the rules of {report['profile']}"
    found = _lint_table(before, after)
    if found is None:
        yield section(title, good_news("No conversation breaks a rule, neither before nor after."))
        return
    shares = [percent(one["clean"], one["conversations"]) for one in (before, after)]
    counts = _change(before["clean"], after["clean"])
    share = (f" conversations, {shares[0]} → ", element("b", shares[1]), ".")
    clean = element("p", "Without errors: ", counts, *share)
    note = sentence("Before: everything that was read. After: what is kept.")
    yield section(title, clean, found, note)


def _lint_table(before: Report, after: Report) -> Html | None:
    """Return every rule broken before or after, errors first."""
    rows = [
        _lint_row(severity, rule, before[severity].get(rule, {}), after[severity].get(rule, {}))
        for severity in SIGNS
        for rule in sorted({**before[severity], **after[severity]})
    ]
    figures = ("conversations", "findings")
    return table(("", "rule", "what is wrong", *figures), rows, figures) if rows else None


def _lint_row(severity: str, id: str, before: Report, after: Report) -> Sequence[Child]:
    sign, word = SIGNS[severity]
    rule = rule_named(id)
    return (
        span(f"{word} whole", f"{sign} {word}"),
        id,
        joined([element("b", rule.words), " ", span("faint", rule.why)]),
        *(_change(before.get(name, 0), after.get(name, 0)) for name in ("in", "findings")),
    )


def _policies(report: Report) -> Iterator[Html]:
    """Yield a comparison for each step that has one."""
    for number, step in enumerate(report["steps"], 1):
        if not (runs := step.get("runs")):
            continue
        profile = step["step"].get("profile")
        judged = f", judged by the rules of {profile}" if profile else ""
        said = f"Step {number:,}: each policy acts before every call of every run{judged}. "
        best = "The best of a column is bold; less is better."
        if len(_fair(runs)) < len(runs):
            best = "The best of a column is bold, among those that saw all runs; less is better."
        key = _legend(cached="in the cached prefix", outside="outside of it")
        yield section("Policies compared", sentence(said, best), key, _policy_table(runs))


def _policy_table(runs: Sequence[Report]) -> Html:
    """Return the figures of policies over all runs; the best of a column is emphasised."""
    fair = _fair(runs)
    columns = {
        name: words
        for name, words in RUN_COLUMNS.items()
        if name not in RARE or any(one[name] for one in runs)
    }
    best = {name: _best([one[name] for one in fair]) for name in columns if name not in NEITHER}
    most = max(one["tokensSent"] for one in runs)
    rows = [_policy_row(one, columns, most=most, best=best if one in fair else {}) for one in runs]
    figures = [*columns.values()]
    return table(("policy", "prefix and outside", *figures), rows, figures, "policies")


def _fair(runs: Sequence[Report]) -> list[Report]:
    """Return the policies that saw all runs; one that saw fewer has less of everything."""
    most = max(one["runs"] for one in runs)
    return [one for one in runs if one["runs"] == most]


def _best(values: Sequence[int]) -> int | None:
    """Return the least value, unless all are equal."""
    return min(values) if len(set(values)) > 1 else None


def _policy_row(
    run: Report, columns: Iterable[str], *, most: int, best: dict[str, int | None]
) -> Sequence[Child]:
    sent, outside = run["tokensSent"], run["tokensOutsidePrefix"]
    prefix = sent - outside
    words = f"{prefix:,} in the cached prefix, {outside:,} outside"
    return (
        span("name", cut(run["name"], 80)),
        bar([("cached", prefix), ("outside", outside)], most, words),
        *(
            element("strong", run[name]) if best.get(name) == run[name] else _figure(run[name])
            for name in columns
        ),
    )


def _worst(report: Report) -> Iterator[Html]:
    rows = report["worst"]
    if not rows:
        return
    title = "The worst conversation" if len(rows) == 1 else f"The {len(rows)} worst conversations"
    ranked = (
        "The kept conversations after all steps, "
        "ranked by errors, then by broken calls, warnings and tokens."
    )
    first = rows[0]
    good = None
    if not (first["errors"] or first["brokenCalls"] or first["warnings"]):
        good = good_news("None has an error, a broken call or a warning; these are the largest.")
    how = sentence("Run the commands in the folder of this page to open them in the app.")
    yield section(title, good, sentence(ranked), how, _worst_table(rows))


def _worst_table(rows: Iterable[Report]) -> Html:
    """Return the worst conversations, each with its file and how to open it."""
    figures = [*WORST_COLUMNS.values()]
    names = ("rank", "conversation", *figures, "rules", "opened by")
    return table(names, (_worst_row(*one) for one in enumerate(rows, 1)), figures, "stack worst")


def _worst_row(rank: int, one: Report) -> Sequence[Child]:
    title = one["title"]
    command = element("code", f"ctxtui {one['file']}", class_="command")
    return (
        span("faint", rank),
        joined([None if title is None else span("title", cut(title, 160)), _place(one)]),
        *(_figure(one[key]) for key in WORST_COLUMNS),
        ", ".join(one["rules"]) or "–",
        span("whole", command, " ", _link(one["file"], "file")),
    )


def _problems(report: Report) -> Html:
    return section(
        "Problems and losses",
        *_unreadable(report),
        *_refused(report),
        *_adapted(report),
        *_lost(report),
        *_warnings(report),
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
    yield _problem_table(rows)


def _refused(report: Report) -> Iterator[Child]:
    rows = report["refused"]
    if rows:
        yield element("h3", "Refused stages")
        more = f" The first {len(rows):,} are listed." if len(rows) >= MOST_TOLD else ""
        yield sentence(f"A refused stage changes nothing; the other stages are applied.{more}")
        yield _problem_table(rows, report["steps"])
    elif any("acted" in step for step in report["steps"]):
        yield good_news("No stage of a policy was refused.")


def _adapted(report: Report) -> Iterator[Child]:
    if report["adapted"]:
        readable = report["records"] - report["unreadable"]
        yield element("h3", "Adapted while reading")
        yield _counts_table(report["adapted"], readable, "conversations")


def _lost(report: Report) -> Iterator[Child]:
    name = report["plan"]["sink"]["to"]
    if report["lost"]:
        yield element("h3", f"Lost when written as {name}")
        yield _counts_table(report["lost"], report["kept"], "conversations")
    elif report["kept"]:
        yield good_news(f"Nothing was lost when writing {name}.")


def _warnings(report: Report) -> Iterator[Child]:
    if report["remarks"]:
        rows = (
            (cut(words), _file_names(one), one["files"], percent(one["files"], report["files"]))
            for words, one in report["remarks"].items()
        )
        yield element("h3", "Warnings about files")
        yield table(("", "which", "files", "of all"), rows, ("files", "of all"))


def _file_names(warning: Report) -> str:
    first = warning["sources"][:NAMED_SOURCES]
    more = warning["files"] - len(first)
    return ", ".join(map(cut_path, first)) + (f" and {more:,} more" if more else "")


def _files(report: Report) -> Html:
    """Return the files of the run, and the plan to run it again."""
    rows = [
        *_parts(report),
        (_link(MANIFEST), "a line for each record: its outcome, and why"),
        (_link(REPORT), "this report as data"),
    ]
    text = escaped(json.dumps(report["plan"], ensure_ascii=False, indent=2))
    plan = element("pre", Html(escape(text)))
    details = element("details", element("summary", "The plan as JSON"), plan)
    return section("Files of this run", dl("plan", rows), details)


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


def _link(file: str, words: str | None = None) -> Html:
    return element("a", words or file, href=file)


# Tables


def table(
    names: Sequence[str],
    rows: Iterable[Sequence[Child]],
    figures: Collection[str] = (),
    kind: str = "stack",
) -> Html:
    """Return a table; on a narrow page each row of a stack is a list with labels."""
    classes = ["figure" if name in figures else None for name in names]
    columns = list(zip(names, classes, strict=True))
    heads = (element("th", name, class_=css, scope="col") for name, css in columns)

    def line(cells: Sequence[Child]) -> Html:
        pairs = zip(columns, cells, strict=True)
        return element(
            "tr",
            *(
                element("td", element("span", cell), class_=css, data_label=name or None)
                for (name, css), cell in pairs
            ),
        )

    head = element("thead", element("tr", *heads))
    inner = element("table", head, element("tbody", *map(line, rows)), class_=kind)
    return element("div", inner, class_="scroll")


def _problem_table(rows: Iterable[Report], steps: Sequence[Report] = ()) -> Html:
    """Return records with the reason for each, and the step if there are steps."""
    names = ("record", *(("step",) if steps else ()), "reason")
    shown = (
        (_place(one), *((_step(one["step"], steps),) if steps else ()), cut(one["reason"]))
        for one in rows
    )
    return table(names, shown)


def _step(number: int, steps: Sequence[Report]) -> str:
    return f"{number + 1:,}. {cut(steps[number]['words'], 80)}"


def _counts_table(counts: dict[str, int], whole: int, noun: str) -> Html:
    rows = ((cut(words), count, percent(count, whole)) for words, count in counts.items())
    return table(("", noun, "of all"), rows, (noun, "of all"))


def _place(one: Report) -> Html:
    """Return the number of a record in the corpus, its file and its place there."""
    place = one["place"]
    parts = [span("faint", "#", one["number"]), " ", span("path", cut_path(one["source"]))]
    return joined(parts if place is None else [*parts, " ", span("whole", f"place {place:,}")])


def _change(before: int, after: int) -> Html:
    """Return a figure before and after."""
    then = span("then", before, " → ")
    return span("whole", then, element("b", after))


def _figure(value: int) -> Html:
    return element("span", value, class_=None if value else "faint")


# Charts

Bucket = dict[str, int]
"""A bar of a histogram: ``count`` conversations with tokens from ``from`` to under ``below``."""
Pair = tuple[int, int, int, int]
"""Tokens from, tokens below, and how many conversations before and after."""
LEAST = 0.6
"""Percent of a bar that a count above 0 takes at least."""
BAR_HEIGHT = 8
PLOT_TOP, PLOT_HEIGHT = 22, 180
LABELS = 16
"""Labels below a wide plot; a narrow one shows half of them."""
GRID_LINES = 4


def bar(parts: Sequence[tuple[str, int]], whole: int, words: str) -> Html:
    """Return a bar of parts, each with its class, on a track as long as the whole."""
    pieces = [_rect("track", 0, 100)]
    at = 0.0
    for name, count in parts:
        if count and whole:
            wide = max(LEAST, 100 * count / whole)
            at = min(at, 100 - wide)  # A sliver at the end must not fall off the track.
            pieces.append(_rect(name, at, wide))
            at += wide
    return _svg("bar", words, BAR_HEIGHT, *pieces)


def _svg(css: str, words: str, height: int, *children: Child) -> Html:
    title = element("title", words)
    return element("svg", title, *children, class_=css, role="img", width="100%", height=height)


def _rect(
    css: str, x: float, width: float, y: float = 0, height: float = BAR_HEIGHT, rx: int | None = 2
) -> Html:
    where = {"x": _share(x), "y": f"{y:g}", "width": _share(width), "height": f"{height:g}"}
    return element("rect", class_=css, **where, rx=rx)


def _share(value: float) -> str:
    return f"{value:.2f}%"


def paired(before: Sequence[Bucket], after: Sequence[Bucket]) -> list[Pair]:
    """Return both histograms side by side, from their smallest bucket to the largest."""
    ends = {one["from"]: one["below"] for one in (*before, *after)}
    counts = [{one["from"]: one["count"] for one in series} for series in (before, after)]
    pairs = []
    at = min(ends, default=0)
    while at <= max(ends, default=-1):
        below = ends.get(at, 2 * at or 1)
        pairs.append((at, below, counts[0].get(at, 0), counts[1].get(at, 0)))
        at = below
    return pairs


def _range(start: int, below: int) -> str:
    return f"{start:,}" if below - start == 1 else f"{start:,}–{below - 1:,}"


def _histogram(pairs: Sequence[Pair]) -> Html:
    """Return two bars for each bucket, before and after, over an axis of tokens."""
    top = max(max(before, after) for _, _, before, after in pairs)
    step = _grid_step(top)
    top = step * ceil(top / step)
    words = "How many conversations have how many tokens, before and after"
    drawn = (*_grid(top, step), *_columns(pairs, top), *_axis(pairs))
    return _svg("histogram", words, PLOT_TOP + PLOT_HEIGHT + 42, *drawn)


def _grid_step(top: int) -> int:
    """Return 1, 2 or 5 times a power of ten, of which a few fit below the top."""
    steps = (factor * int(10**power) for power in range(20) for factor in (1, 2, 5))
    return next(step for step in steps if step * GRID_LINES >= top)


def _grid(top: int, step: int) -> Iterator[Html]:
    """Yield lines with their counts, in the margin at the left."""
    for value in range(0, top + 1, step):
        y = _height(top - value, top) + PLOT_TOP
        yield element("line", class_="grid", x1=0, x2="100%", y1=f"{y:.1f}", y2=f"{y:.1f}")
        if value:
            yield element("text", short(value), class_="count", x=-8, y=f"{y + 4:.1f}")
    yield _text("conversations", 0, PLOT_TOP - 10)


def _columns(pairs: Sequence[Pair], top: int) -> Iterator[Html]:
    wide = 100 / len(pairs)
    for place, (start, below, *counts) in enumerate(pairs):
        said = f"{_range(start, below)} tokens: {counts[0]:,} before, {counts[1]:,} after"
        columns: list[Child] = [element("title", said)]
        for side, (name, count) in enumerate(zip(("before", "after"), counts, strict=True)):
            if count:
                high = round(max(2.0, _height(count, top)), 1)
                x, y = wide * (place + 0.16 + 0.34 * side), PLOT_TOP + PLOT_HEIGHT - high
                columns.append(_rect(name, x, wide * 0.32, y, high, rx=None))
        if len(columns) > 1:
            yield element("g", joined(columns))


def _height(count: int, top: int) -> float:
    return PLOT_HEIGHT * count / top


def _axis(pairs: Sequence[Pair]) -> Iterator[Html]:
    wide, every = 100 / len(pairs), ceil(len(pairs) / LABELS)
    y = PLOT_TOP + PLOT_HEIGHT + 16
    for place, (start, *_) in enumerate(pairs):
        if not place % every:
            name = "spare" if place % (2 * every) else None
            yield _text(short(start), wide * (place + 0.16), y, name)
    yield _text("tokens of a conversation: from this number to the next", 0, y + 20)


def _text(words: str, x: float, y: float, name: str | None = None) -> Html:
    return element("text", words, class_=name, x=_share(x), y=f"{y:.1f}")
