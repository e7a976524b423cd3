"""The tables of a report: lint, policies, the worst conversations, and what went wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from ctxtui.core.lint import rule_named
from ctxtui.pages.corpus.charts import bar
from ctxtui.pages.corpus.markup import Child, Html, cut, cut_path, element, joined
from ctxtui.render.text.severity import ERROR, WARNING
from ctxtui.words import percent

Report = dict[str, Any]
SIGNS = {"errors": (ERROR.glyph, "error"), "warnings": (WARNING.glyph, "warning")}
"""What a finding is by its severity."""
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
"""The figures of a policy over all runs, and how they are called."""
RARE = ("withoutMarked",)
"""Figures that are told only where there is something to tell."""
NEITHER = ("runs", "calls", "acted")
"""Figures that are neither good nor bad; of the others less is better."""
WORST_COLUMNS = {
    "errors": "errors",
    "brokenCalls": "broken calls",
    "warnings": "warnings",
    "messages": "messages",
    "tokens": "tokens",
}
"""The figures of the worst conversations, and how they are called."""

MOST_SOURCES = 5
"""Files that are named beside a remark."""


def table(
    names: Sequence[str],
    rows: Iterable[Sequence[Child]],
    figures: Collection[str] = (),
    kind: str = "stack",
) -> Html:
    """Return a table; where the page is narrow, each row of a stack is a list with labels."""
    classes = ["figure" if name in figures else None for name in names]
    heads = (
        element("th", name, class_=one, scope="col")
        for name, one in zip(names, classes, strict=True)
    )
    body = (
        element(
            "tr",
            *(
                element("td", element("span", cell), class_=one, data_label=name or None)
                for name, one, cell in zip(names, classes, cells, strict=True)
            ),
        )
        for cells in rows
    )
    inner = element(
        "table", element("thead", element("tr", *heads)), element("tbody", *body), class_=kind
    )
    return element("div", inner, class_="scroll")


def change(before: int, after: int) -> Html:
    """Return both values of a figure."""
    then = element("span", before, " → ", class_="then")
    return element("span", then, element("b", after), class_="whole")


def _figure(value: int) -> Html:
    return element("span", value, class_=None if value else "faint")


def lint_table(before: Report, after: Report) -> Html | None:
    """Return every rule that is broken before or after, errors first."""
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
        element("span", f"{sign} {word}", class_=f"{word} whole"),
        id,
        joined([element("b", rule.words), " ", element("span", rule.why, class_="faint")]),
        *(change(before.get(name, 0), after.get(name, 0)) for name in ("in", "findings")),
    )


def policy_table(runs: Sequence[Report]) -> Html:
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
    """Return those that saw all runs: what saw fewer of them has less of everything."""
    most = max(one["runs"] for one in runs)
    return [one for one in runs if one["runs"] == most]


def is_fair(runs: Sequence[Report]) -> bool:
    """Tell whether all policies saw the same number of runs."""
    return len(_fair(runs)) == len(runs)


def _best(values: Sequence[int]) -> int | None:
    """Return the least, unless all are the same."""
    return min(values) if len(set(values)) > 1 else None


def _policy_row(
    run: Report, columns: Iterable[str], *, most: int, best: dict[str, int | None]
) -> Sequence[Child]:
    sent, outside = run["tokensSent"], run["tokensOutsidePrefix"]
    prefix = sent - outside
    words = f"{prefix:,} in the cached prefix, {outside:,} outside"
    return (
        element("span", cut(run["name"], 80), class_="name"),
        bar([("cached", prefix), ("outside", outside)], most, words),
        *(
            element("strong", value) if best.get(name) == value else _figure(value)
            for name, value in ((name, run[name]) for name in columns)
        ),
    )


def worst_table(rows: Iterable[Report]) -> Html:
    """Return the worst conversations, each with its file and how to open it."""
    figures = [*WORST_COLUMNS.values()]
    names = ("rank", "conversation", *figures, "rules", "opened by")
    return table(names, (_worst_row(*one) for one in enumerate(rows, 1)), figures, "stack worst")


def _worst_row(rank: int, one: Report) -> Sequence[Child]:
    title = one["title"]
    command = element("code", f"ctxtui {one['file']}", class_="command")
    return (
        element("span", rank, class_="faint"),
        joined(
            [
                None if title is None else element("span", cut(title, 160), class_="title"),
                where(one),
            ]
        ),
        *(_figure(one[key]) for key in WORST_COLUMNS),
        ", ".join(one["rules"]) or "–",
        element("span", command, " ", element("a", "file", href=one["file"]), class_="whole"),
    )


def where(one: Report) -> Html:
    """Return where a record stands: its number in the corpus, its file and its place there."""
    place = one["place"]
    return joined(
        [
            element("span", "#", one["number"], class_="faint"),
            " ",
            element("span", cut_path(one["source"]), class_="path"),
            None
            if place is None
            else joined([" ", element("span", f"place {place:,}", class_="whole")]),
        ]
    )


def trouble_table(rows: Iterable[Report], steps: Sequence[Report] = ()) -> Html:
    """Return records with what was wrong with them, and at which step, if there are steps."""
    names = ("record", *(("step",) if steps else ()), "reason")
    told = (
        (where(one), *((_step(one["step"], steps),) if steps else ()), cut(one["reason"]))
        for one in rows
    )
    return table(names, told)


def _step(number: int, steps: Sequence[Report]) -> str:
    return f"{number + 1:,}. {cut(steps[number]['words'], 80)}"


def counts_table(counts: dict[str, int], whole: int, noun: str) -> Html:
    """Return sentences and how many of all they are about."""
    told = ((cut(words), count, percent(count, whole)) for words, count in counts.items())
    return table(("", noun, "of all"), told, (noun, "of all"))


def remarks_table(remarks: dict[str, Report], whole: int) -> Html:
    """Return sentences about files, with the names of the first files they are about."""
    told = (
        (cut(words), _sources(one), one["files"], percent(one["files"], whole))
        for words, one in remarks.items()
    )
    return table(("", "which", "files", "of all"), told, ("files", "of all"))


def _sources(remark: Report) -> str:
    first = remark["sources"][:MOST_SOURCES]
    more = remark["files"] - len(first)
    return ", ".join(map(cut_path, first)) + (f" and {more:,} more" if more else "")
