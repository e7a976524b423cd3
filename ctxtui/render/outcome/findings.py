"""What lint would say, what to worry about, and the hint that mends it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from ctxtui.commands import FORM
from ctxtui.core import Finding
from ctxtui.core.suggestions import Near
from ctxtui.core.what_if import Assessment
from ctxtui.render.message.preview import plain_preview
from ctxtui.render.outcome.prospect import Prospect
from ctxtui.render.text.lines import Line, Piece, fit_pieces, on_row
from ctxtui.render.text.marks import mark_kind
from ctxtui.render.text.severity import ERROR, PASSED, WARNING, sign_of
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible
from ctxtui.words import plural

MOST_FINDINGS = 5
MOST_LABELS = 4
LEAD_CELLS = 10
"""Cells of the sign and ``appears`` before the sentence."""
TAIL_CELLS = 21
"""Cells of the key that mends it, with its words."""
KEYS = {command.action: command.shown_keys() for command in FORM}


def lint_lines(prospect: Prospect, width: int) -> list[Line]:
    """Return lint before and after, with each finding that appears or goes."""
    outcome = prospect.outcome
    come, gone = outcome.findings_come, outcome.findings_gone
    arrow = Piece(" → ", "muted")
    head = [Piece("Lint   ", "bright"), *_counts(outcome.before), arrow, *_counts(outcome)]
    lines: list[Line] = [head]
    lines += _findings("appears", come, width)
    lines += _findings("goes", gone, width)
    if not come and not gone:
        head.append(Piece("   nothing changes", "muted"))
    return lines


def _counts(assessed: Assessment) -> Line:
    signs = [
        ERROR.piece(str(assessed.error_count)) if assessed.error_count else None,
        WARNING.piece(str(assessed.warning_count)) if assessed.warning_count else None,
    ]
    found = [sign for sign in signs if sign is not None]
    if len(found) > 1:
        found.insert(1, Piece(" "))
    return found or [Piece(PASSED.glyph, PASSED.kind)]


def _findings(words: str, findings: Sequence[Finding], width: int) -> list[Line]:
    lines: list[Line] = []
    for finding in findings[:MOST_FINDINGS]:
        sign = sign_of(finding) if words == "appears" else PASSED
        tint = "finding" if words == "appears" and finding.severity == "error" else "plain"
        place = "" if finding.raw_index is None else f"raw {finding.raw_index}: "
        lead = [sign.piece(f"{words:<{LEAD_CELLS - 2}}"), Piece(f"{finding.rule:<4}", "bright")]
        told = visible(f"{place}{finding.message}", 400)
        for at, row in enumerate(wrap(told, max(10, width - LEAD_CELLS - 4))):
            start = lead if at == 0 else [Piece(" " * (LEAD_CELLS + 4))]
            lines.append(on_row([*start, Piece(row)], tint, width))
    if len(findings) > MOST_FINDINGS:
        lines.append([Piece(f"  … {len(findings) - MOST_FINDINGS:,} more {words}", "faint")])
    return lines


def worry_lines(prospect: Prospect, width: int) -> list[Line]:
    """Return a warning for system messages and for marks that would go, with what mends it."""
    outcome = prospect.outcome
    lines: list[Line] = []
    lost = outcome.system_lost
    if lost:
        is_first = prospect.look.view[0] == lost[0]
        told = "would go"
        if is_first:
            told += ", the first too" if len(lost) > 1 else ": the first prompt"
        count = WARNING.piece(plural(len(lost), "system message"))
        is_tight = cell_len(count.text) + len(told) + TAIL_CELLS > width
        left = [count, Piece(" would go" if is_tight else f" {told}")]
        key = ("keep_system", "keep system") if prospect.can_keep_system else None
        lines.append(_warning(left, key, width))
    for label, raws in list(outcome.lost.items())[:MOST_LABELS]:
        log = prospect.result.moment.log
        text = plain_preview(log[raws[0]])
        also = f" and {len(raws) - 1:,} more" if len(raws) > 1 else ""
        left = [
            Piece("★ ", mark_kind(label)),
            Piece(visible(label, 24), mark_kind(label)),
            Piece(f" would go: {text}", "text"),
            Piece(also, "muted"),
        ]
        key = ("keep_marks", "keep marks") if prospect.can_keep_marks and not lines[1:] else None
        lines.append(_warning(left, key, width))
    more = len(outcome.lost) - MOST_LABELS
    if more > 0:
        rest = Piece(f"★ {plural(more, 'more label')} would go", "mark")
        lines.append(_warning([rest], None, width))
    return lines


def _warning(left: Line, key: tuple[str, str] | None, width: int) -> Line:
    right = [] if key is None else [Piece(f"  {KEYS[key[0]]} ", "key"), Piece(key[1], "muted")]
    room = width - sum(cell_len(piece.text) for piece in right)
    return on_row([*fit_pieces(left, max(0, room)), *right], "warning", width)


def hint_lines(prospect: Prospect, width: int) -> list[Line]:
    """Return the nearest number that leaves no error, and the key that takes it."""
    hint = prospect.hint
    if hint is None:
        return []
    line = [Piece("Hint   ", "warn"), Piece(f"{prospect.hint_label} "), *_near(prospect, hint.best)]
    if hint.other is not None:
        line += [Piece(", "), *_near(prospect, hint.other)]
    right = [Piece(f"  {KEYS['take']} ", "key"), Piece(f"take {hint.best.value:,}", "muted")]
    room = width - sum(cell_len(piece.text) for piece in right)
    if sum(cell_len(piece.text) for piece in line) > room:
        return [fit_pieces(line, width), [Piece(" " * 5), *right]]
    return [[*fit_pieces(line, max(0, room)), *right]]


def _near(prospect: Prospect, near: Near) -> Line:
    return [Piece(f"{near.value:,}", "bright"), Piece(f" {_what_becomes(prospect, near)}")]


def _what_becomes(prospect: Prospect, near: Near) -> str:
    """Return what a number does about the error: the broken pair stays whole, or goes."""
    errors = [one for one in prospect.outcome.findings_come if one.severity == "error"]
    pairs = [one for one in errors if one.repairs and one.raw_index is not None]
    if len(errors) != 1 or not pairs:
        return "leaves no error"
    place = prospect.look.view.position(pairs[0].raw_index or 0)
    stays = place is not None and near.outcome.fates[place]
    return "keeps that pair" if stays else "lets it go"
