"""The operation that explains a call: its fields, how sure it is, and what speaks for it."""

from __future__ import annotations

from itertools import islice

from ctxtui.core.engine.calls import Call
from ctxtui.core.engine.operations import Operation
from ctxtui.core.engine.views import View
from ctxtui.models.call_evidence import Evidence, Fact
from ctxtui.models.call_sheet import CallSheet
from ctxtui.models.call_story import Explained
from ctxtui.render.batch.fields import given_fields, operation_title
from ctxtui.render.message.preview import GLYPHS, WORDS, preview, tool_names
from ctxtui.render.text.choosing import spread
from ctxtui.render.text.flowing import flow
from ctxtui.render.text.indices import run_text
from ctxtui.render.text.lines import Line, Piece, fit, fit_pieces, line_width, on_paper
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.ribbon import Ribbon, RibbonAxis
from ctxtui.render.text.severity import PASSED
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible
from ctxtui.words import plural

NAME_CELLS = 10
COUNT_CELLS = 7
MOST_STEPS = 8
MOST_FIELDS = 4
REASON_CHARACTERS = 300
MOST_RUNS = 4
MOST_MOVED = 8
CHIPS = {"proven": on_paper("ok", "added"), "likely": on_paper("warn", "warning")}
"""How sure an explanation is, as a chip."""
PROOFS = {
    "COMPRESS": "a text that is another call's answer, or a provider's own compaction",
    "REDACT": "ids of tool calls on both sides, by which the same result is known",
    "REPLACE": "ids of tool calls on both sides, by which the same result is known",
}
NO_PROOF = "more than requests: they show what was sent, not what was done"


def why_lines(sheet: CallSheet, width: int) -> list[Line]:
    """Return what explains a call, both projections as ribbons, and why it is so."""
    evidence = sheet.evidence
    lines = _steps(evidence, width)
    if sheet.one.before is not None:
        lines += [[], *_ribbons(sheet, width)]
    said = [*_reasons(evidence, width), *_facts(sheet, width)]
    if said:
        lines += [[], *said]
    if evidence.lacking is not None:
        needs = PROOFS.get(evidence.lacking, NO_PROOF)
        rows = wrap(f"A proof of {visible(evidence.lacking, 20)} needs {needs}.", max(10, width))
        lines += [[], *([Piece(row, "faint")] for row in rows)]
    moved = _moved(sheet, width)
    return [*lines, [], *moved] if moved else lines


def why_about(sheet: CallSheet) -> str:
    """Return between which calls it happened, for the border."""
    number = sheet.number
    return "" if sheet.one.before is None else f"between call {number - 1:,} and call {number:,}"


def _steps(evidence: Evidence, width: int) -> list[Line]:
    """Return the operations, each with its fields and how sure it is."""
    lines: list[Line] = []
    for at, (operation, told) in enumerate(evidence.steps[:MOST_STEPS]):
        lines += _step(operation, told, "then " if at else "", width)
    more = len(evidence.steps) - MOST_STEPS
    if more > 0:
        lines.append([Piece(f"… and {plural(more, 'operation')} more", "faint")])
    return lines or [[Piece("Nothing was done: the same was sent again.", "text")]]


def _step(operation: Operation | None, told: Explained | None, lead: str, width: int) -> list[Line]:
    title = operation_title(operation) if operation is not None else ""
    title = title or visible("" if told is None else told.operation, 20)
    words: list[Line] = [[Piece(lead, "muted"), Piece(title, "bright")]]
    if operation is not None and not isinstance(operation, Call):
        for field in given_fields(operation)[:MOST_FIELDS]:
            name = [Piece(f"{field.name} ", "muted")] if field.name else []
            words.append([*name, Piece(field.value, "text")])
    sure = "done here" if told is None else visible(told.certainty, 20)
    kind = "muted" if told is None else CHIPS.get(told.certainty, "muted")
    chip = [Piece(f" {sure} ", kind)]
    first, *rest = flow(words, max(10, width - line_width(chip)))
    return [spread(first, chip, width), *rest]


# The two projections


def _ribbons(sheet: CallSheet, width: int) -> list[Line]:
    one, look = sheet.one, sheet.look
    was, diff = one.revision_before, one.difference
    assert was is not None
    assert diff is not None
    axis = RibbonAxis(look.log_size, max(0, width - NAME_CELLS - COUNT_CELLS))
    before = Ribbon(look.state.log, look.figures, was.view, size=was.log_size)
    now = Ribbon(look.state.log, look.figures, look.view, size=look.log_size, went=diff.hidden)
    return [
        _ribbon(f"call {sheet.number - 1:,}", before.line(axis), len(was.view), "muted", width),
        _ribbon(f"call {sheet.number:,}", now.line(axis), len(look.view), "bright", width),
    ]


def _ribbon(name: str, line: Line, count: int, kind: str, width: int) -> Line:
    body = fit_pieces(line, max(0, width - NAME_CELLS - COUNT_CELLS))
    return [Piece(fit(name, NAME_CELLS), kind), *body, Piece(f"{count:>{COUNT_CELLS},}", kind)]


# What came and went


def _moved(sheet: CallSheet, width: int) -> list[Line]:
    """Return the messages that went and came, the first ones of each."""
    diff = sheet.one.difference
    if diff is None:
        return []
    lines: list[Line] = []
    for sign, kind, view in (
        ("−", "error", diff.hidden),
        ("+", "ok", diff.shown),
        ("+", "ok", diff.added),
    ):
        lines += [_message(sheet, Piece(sign, kind), raw, width) for raw in view[:MOST_MOVED]]
        if len(view) > MOST_MOVED:
            lines.append([Piece(f"{sign} and {len(view) - MOST_MOVED:,} more", "faint")])
    return lines


def _message(sheet: CallSheet, sign: Piece, raw: int, width: int) -> Line:
    log = sheet.state.log
    message = log[raw]
    lead = [
        sign,
        Piece(f"{raw:>5,}  ", "muted"),
        Piece(f"{GLYPHS[message.role]} {WORDS[message.role]:<5}", message.role),
    ]
    tail = Piece(f"{tokens(sheet.look.tokens(raw)):>7}", "muted")
    room = max(0, width - line_width(lead) - len(tail.text))
    body = fit_pieces(preview(message, tool_names(log, raw)), room)
    if sign.kind == "error":
        body = [Piece(text, "struck") for text, _ in body]
    return [*lead, *body, tail]


# What speaks for it


def _reasons(evidence: Evidence, width: int) -> list[Line]:
    lines: list[Line] = []
    for _, told in evidence.steps[:MOST_STEPS]:
        if told is not None:
            lines += _bullet(visible(told.reason, REASON_CHARACTERS), width)
    for said in evidence.noticed:
        lines += _bullet(visible(said, REASON_CHARACTERS), width)
    return lines


def _facts(sheet: CallSheet, width: int) -> list[Line]:
    lines: list[Line] = []
    for fact in sheet.evidence.facts:
        lines += _bullet(fact_words(fact, sheet.number), width)
    if sheet.evidence.lacking == "TRUNCATE":
        told = "DELETE of the same messages gives the same: one cut is simpler"
        lines += _bullet(told, width, is_sure=False)
    return lines


def _bullet(text: str, width: int, *, is_sure: bool = True) -> list[Line]:
    sign = PASSED.piece() if is_sure else Piece("? ", "warn")
    sign = Piece(fit(sign.text, 2), sign.kind)
    rows = wrap(text, max(10, width - 2))
    kind = "text" if is_sure else "muted"
    return [[sign if at == 0 else Piece("  "), Piece(row, kind)] for at, row in enumerate(rows)]


def fact_words(fact: Fact, number: int) -> str:
    """Return a fact of two projections as a sentence."""
    before, raws, one = number - 1, _raws(fact.raws), fact.size == 1
    match fact.kind:
        case "same":
            return f"the same {plural(fact.size, 'message')} as in call {before:,}"
        case "gone":
            was, are = ("was", "is") if one else ("were", "are")
            return f"{raws} {was} sent in call {before:,} and {are} not in call {number:,}"
        case "stayed":
            if one:
                return "the one that stayed is the same"
            return f"the {fact.size:,} that stayed are the same, in the same order"
        case "moved":
            return f"{raws} {'stands' if one else 'stand'} elsewhere now"
        case "inside":
            return f"{raws} came in between, not at the end"
        case "alone":
            return "nothing stands in the place of what went, so no summary"
        case "came":
            return f"{raws} came at the end"
    return f"{raws} {'is' if one else 'are'} written differently than before"


def _raws(view: View) -> str:
    runs = list(islice(view.joined(), MOST_RUNS + 1))
    told = ", ".join(run_text(start, start + size - 1) for start, size in runs[:MOST_RUNS])
    return f"raw {told}{' and more' if len(runs) > MOST_RUNS else ''}"
