"""Lint of what was sent: what each profile says, and the findings with what caused them."""

from __future__ import annotations

from ctxtui.core import Finding
from ctxtui.core.engine.settings import PROFILES
from ctxtui.models.call_sheet import CallSheet
from ctxtui.models.causes import in_words
from ctxtui.render.status import unlinted
from ctxtui.render.text.flowing import flow
from ctxtui.render.text.lines import Line, Piece, on_row
from ctxtui.render.text.severity import ERROR, PASSED, WARNING, sign_of
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible
from ctxtui.words import plural

MOST_FINDINGS = 20
SENTENCE_CHARACTERS = 300
REFUSAL_CHARACTERS = 400


def lint_lines(sheet: CallSheet, width: int) -> list[Line]:
    """Return the profiles with their counts, the findings, and what the provider made of it."""
    lines = flow([_profile(sheet, name) for name in PROFILES], max(10, width))
    if not sheet.look.is_linted:
        return [*lines, [], [unlinted(sheet.look)]]
    findings = sheet.look.findings
    for finding in findings[:MOST_FINDINGS]:
        lines += [[], *_finding(sheet, finding, width)]
    more = len(findings) - MOST_FINDINGS
    if more > 0:
        lines += [[], [Piece(f"and {plural(more, 'finding')} more", "muted")]]
    if not findings:
        lines += [[], [PASSED.piece(f"no rule of {sheet.state.head.settings.profile} is broken")]]
    told = [[Piece(row, "muted")] for row in wrap(taken_words(sheet), max(10, width)) if row]
    return [*lines, [], *told] if told else lines


def lint_about(sheet: CallSheet) -> Line:
    """Return how many errors and warnings there are, for the border."""
    if not sheet.look.is_linted:
        return []
    errors, warnings = sheet.look.errors, sheet.look.warnings
    told = [ERROR.piece(f"{errors:,} ")] if errors else []
    told += [WARNING.piece(f"{warnings:,} ")] if warnings else []
    return told or [Piece(PASSED.glyph, "muted")]


def _profile(sheet: CallSheet, name: str) -> Line:
    """Return a profile with what it finds; the one of the session stands out."""
    is_own = name == sheet.state.head.settings.profile
    line = [Piece(f" {name} " if is_own else name, "pill" if is_own else "muted")]
    found = sheet.profiles.get(name)
    if found is None:
        is_pending = not sheet.look.is_unlintable
        return [*line, Piece(" …", "faint") if is_pending else ERROR.piece()]
    if not (found.errors or found.warnings):
        return [*line, Piece(f" {PASSED.glyph}", PASSED.kind)]
    for sign, count in ((ERROR, found.errors), (WARNING, found.warnings)):
        line += [Piece(f" {sign.glyph}{count:,}", sign.kind)] if count else []
    return line


def _finding(sheet: CallSheet, finding: Finding, width: int) -> list[Line]:
    """Return a finding: its place, its sentence, and what caused it."""
    sign = sign_of(finding)
    place = ""
    if finding.position is not None and finding.raw_index is not None:
        place = f"  position {finding.position:,}  raw {finding.raw_index:,}"
    lines: list[Line] = [[sign.piece(in_words(finding)), Piece(place, "muted")]]
    told = visible(finding.message, SENTENCE_CHARACTERS)
    lines += [[Piece(row)] for row in wrap(told, max(10, width))]
    cause = visible(sheet.look.cause(finding), SENTENCE_CHARACTERS)
    lines += [[Piece(row, "muted")] for row in wrap(cause, max(10, width)) if row]
    paper = "finding" if finding.severity == "error" else "warning"
    return [on_row(line, paper, width) for line in lines]


def taken_words(sheet: CallSheet) -> str:
    """Return what the provider made of it; a server may take what another refuses."""
    call, status = sheet.one.call, sheet.status
    if call.outcome == "complete":
        return "This server took it." if sheet.look.findings else ""
    said = "" if sheet.refusal is None else f": {visible(sheet.refusal, REFUSAL_CHARACTERS)}"
    if call.outcome == "cut":
        return f"The answer was cut off{said}."
    answered = "refused or lost it" if status is None else f"answered {status}"
    return f"This server {answered}{said}"
