"""The page of a report: one HTML file that needs nothing else, neither a script nor a server.

It is written from the report alone. Texts of conversations and files are only ever text in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from ctxtui.pages.corpus.charts import bucket_words, histogram, paired
from ctxtui.pages.corpus.markup import (
    Child,
    Html,
    element,
    good_news,
    plural,
    section,
    sentence,
    size_in_words,
)
from ctxtui.pages.corpus.run import funnel, plan_words
from ctxtui.pages.corpus.tables import (
    change,
    is_fair,
    lint_table,
    policy_table,
    table,
    worst_table,
)
from ctxtui.pages.corpus.troubles import beside, troubles
from ctxtui.words import percent

Report = dict[str, Any]
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""What a browser lets the page do: nothing but being read."""
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Corpus run: {title}</title>
<style>
{style}</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def page_of(report: Report) -> str:
    """Return the page."""
    sections = (
        _header(report),
        _run(report),
        _figures(report),
        *_tokens(report),
        *_lint(report),
        *_policies(report),
        *_worst(report),
        troubles(report),
        beside(report),
    )
    return _PAGE.format(
        policy=escape(POLICY),
        title=escape(_outcome(report)),
        style=_style(),
        body="\n".join(sections),
    )


@cache
def _style() -> str:
    return (files(__package__) / "page.css").read_text(encoding="utf-8")


def _outcome(report: Report) -> str:
    """Return what came of the run, in one sentence."""
    if not report["records"]:
        return "nothing was read"
    return f"{report['kept']:,} of {plural(report['records'], 'record')} kept"


def _header(report: Report) -> Html:
    told = [f"{percent(report['kept'], report['records'])}"] if report["records"] else []
    told += [f"{report[name]:,} {name}" for name in ("dropped", "unreadable") if report[name]]
    return element(
        "header",
        element("p", "Corpus run", class_="kind"),
        element("h1", _outcome(report).capitalize()),
        element("p", " · ".join(told), class_="faint") if told else None,
    )


def _run(report: Report) -> Html:
    if report["steps"]:
        return section("What was run", plan_words(report), funnel(report))
    none = sentence("There are no steps: what can be read is kept.")
    return section("What was run", plan_words(report), none, funnel(report))


def _figures(report: Report) -> Html:
    tiles = {
        "files": report["files"],
        "records": report["records"],
        "unreadable": report["unreadable"],
        "dropped": report["dropped"],
        "kept": report["kept"],
        "changed": report["changed"],
    }
    shown = (element("div", element("dt", name), element("dd", n)) for name, n in tiles.items())
    before, then, after = report["before"], report["keptBefore"], report["after"]
    sizes = {
        "all that was read": (before["conversations"], before),
        "what is kept, before": (after["conversations"], then),
        "what is kept, after": (after["conversations"], after),
    }
    rows = (
        (name, count, one["messages"], one["tokens"], _mean(one["tokens"], count))
        for name, (count, one) in sizes.items()
    )
    figures = ("conversations", "messages", "tokens", "tokens per conversation")
    return section(
        "Figures",
        element("dl", *shown, class_="tiles"),
        sentence(
            f"Read from {size_in_words(report['bytes'])}. Messages and tokens are visible ones."
        ),
        table(("", *figures), rows, figures),
    )


def _mean(total: int, count: int) -> Child:
    return round(total / count) if count else "–"


def _tokens(report: Report) -> Iterator[Html]:
    pairs = paired(report["before"]["histogram"], report["after"]["histogram"])
    if not pairs:
        return
    rows = ((bucket_words(start, below), before, after) for start, below, before, after in pairs)
    legend = _legend(
        before=f"before: {plural(report['before']['conversations'], 'conversation')} read",
        after=f"after: {plural(report['after']['conversations'], 'conversation')} kept",
    )
    behind = table(("tokens", "before", "after"), rows, ("before", "after"), "plain")
    details = element("details", element("summary", "The same as a table"), behind)
    yield section("Tokens of a conversation", legend, histogram(pairs), details)


def _legend(**words: str) -> Html:
    """Return what the colours of a chart mean."""
    return sentence(
        *(
            element("span", element("span", class_=f"key {name}"), f" {said}", class_="legend")
            for name, said in words.items()
        )
    )


def _lint(report: Report) -> Iterator[Html]:
    before, after = report["before"], report["after"]
    if not before["conversations"]:
        return
    title = f"Lint by the rules of {report['profile']}"
    found = lint_table(before, after)
    if found is None:
        yield section(title, good_news("No conversation breaks a rule, neither before nor after."))
        return
    shares = [percent(one["clean"], one["conversations"]) for one in (before, after)]
    clean = element(
        "p",
        "Clean, that is without errors: ",
        change(before["clean"], after["clean"]),
        f" conversations, {shares[0]} → ",
        element("b", shares[1]),
        ".",
    )
    note = sentence("Before counts all that was read, after what is kept.")
    yield section(title, clean, found, note)


def _policies(report: Report) -> Iterator[Html]:
    """Yield a comparison for each step that has one."""
    for number, step in enumerate(report["steps"], 1):
        if not (runs := step.get("runs")):
            continue
        profile = step["step"].get("profile")
        judged = f", judged by the rules of {profile}" if profile else ""
        said = f"Step {number:,}: each policy acts before every call of every run{judged}. "
        best = "The best of a column is bold; less is better."
        if not is_fair(runs):
            best = "The best of a column is bold, among those that saw all runs; less is better."
        key = _legend(cached="in the cached prefix", outside="outside of it")
        yield section("Policies compared", sentence(said, best), key, policy_table(runs))


def _worst(report: Report) -> Iterator[Html]:
    rows = report["worst"]
    if not rows:
        return
    title = "The worst conversation" if len(rows) == 1 else f"The {len(rows)} worst conversations"
    ranked = (
        "Of those that are kept, as they are after all steps: "
        "ranked by errors, then by broken calls, warnings and tokens."
    )
    first = rows[0]
    good = None
    if not (first["errors"] or first["brokenCalls"] or first["warnings"]):
        good = good_news(
            "None of them has an error, a broken call or a warning: these are the largest."
        )
    how = sentence("The commands open them in the app, in the folder of this page.")
    yield section(title, good, sentence(ranked), how, worst_table(rows))
