"""One setting as one would ship it: its figures, its policy as JSON, and its neighbours."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ctxtui.core.policies.simulation import FRONT_RULE, SHIP_RULE, Setting
from ctxtui.models.policy_sweep import PolicySweep
from ctxtui.models.sweep_cursor import SweepCursor
from ctxtui.render.over_run.words import NAME_CHARACTERS, WALKING, money
from ctxtui.render.text.choosing import longest
from ctxtui.render.text.lines import Line, Piece, on_row
from ctxtui.render.text.numbers import tokens
from ctxtui.render.text.sections import beside, cropped
from ctxtui.render.text.severity import ERROR, PASSED
from ctxtui.render.text.wrap import wrap
from ctxtui.symbols import visible
from ctxtui.words import percent, plural

WIDE_CELLS = 100
JSON_SHARE = 0.5
INDENT = "    "
"""Cells from which on the policy stands beside its neighbours, its share of them, and how far the
rest of a long line stands in."""


def sentence(text: str) -> str:
    """Return a rule as a sentence."""
    return f"{text[:1].upper()}{text[1:]}."


def ship_lines(cursor: SweepCursor, rows: int, width: int) -> list[Line]:
    """Return the setting under the cursor, as far as there are rows for it."""
    setting = cursor.setting
    if setting is None:
        problem = cursor.sweep.comparison.problem
        told = ERROR.text(visible(problem)) if problem else WALKING
        return [[Piece(row, "muted")] for row in wrap(told, max(1, width))]
    head = on_row(_figures(cursor, setting, width), "cursor", width)
    near = [_neighbour(setting, one) for one in cursor.neighbours()]
    near.append([Piece("the same file for simulate, the app and your agent", "faint")])
    if width < WIDE_CELLS:
        return cropped([head, *near], width)[:rows]
    room = round(JSON_SHARE * width)
    text = _json(cursor, setting, room - 2, max(1, rows - 2))
    return cropped([head, [], *beside(text, near, room)], width)[:rows]


def _figures(cursor: SweepCursor, setting: Setting, width: int) -> Line:
    figures, sweep = setting.figures, cursor.sweep.sweep
    contender = cursor.contender
    letter = "" if contender is None else cursor.sweep.comparison.letter(contender)
    name = visible(setting.policy.name, NAME_CHARACTERS)
    lead = [
        Piece(f" {letter} {name}  ", "bright"),
        Piece(f"{'' if sweep is None else sweep.name} {setting.value:,}", "text"),
    ]
    fails = [
        _count(figures.broken, ERROR.glyph, "broken"),
        _count(figures.without_marked, "★", "without ★"),
    ]
    sent = [
        *_figure(tokens(figures.tokens_sent), "sent"),
        *_figure(tokens(figures.tokens_outside_prefix), "outside"),
    ]
    limit = "" if figures.limit is None else f" of {tokens(figures.limit)}"
    peak = [
        Piece("   peak ", "muted"),
        Piece(tokens(figures.peak), "bright"),
        Piece(limit, "muted"),
    ]
    cost = [Piece(f"   {money(figures.cost)} ", "bright")] if figures.cost is not None else []
    return longest(
        [
            (lead, [*fails, *sent, *peak, *cost]),
            (lead, [*fails, *peak, *cost]),
            (lead, [*fails, *cost]),
            (lead, fails),
        ],
        width,
    )


def _count(count: int, sign: str, word: str) -> Piece:
    if not count:
        return Piece(f"   {PASSED.text(f'0 {word}')}", PASSED.kind)
    return Piece(f"   {sign} {count:,} {word}", ERROR.kind)


def _figure(number: str, word: str) -> Line:
    return [Piece(f"   {number}", "bright"), Piece(f" {word}", "muted")]


# The policy


def _json(cursor: SweepCursor, setting: Setting, width: int, rows: int) -> list[Line]:
    """Return the policy as JSON, a line for each of its parts, cut where there is no room."""
    data = setting.policy.to_dict()
    name = "" if cursor.sweep.sweep is None else cursor.sweep.sweep.name
    lines: list[str] = []
    for at, (key, value) in enumerate(data.items()):
        lead = "{" if at == 0 else " "
        end = "}" if at == len(data) - 1 else ","
        lines += _part(f"{lead}{json.dumps(key)}: ", value, end, width - 2)
    if len(lines) > rows:
        lines = [*lines[: rows - 1], f"{lines[rows - 1][: width - 4]} …"]
    lit = f"{json.dumps(name)}: {setting.value}"
    return [on_row(_lit(f" {visible(line)}", lit), "opened", width) for line in lines]


def _part(lead: str, value: Any, end: str, width: int) -> list[str]:
    told = json.dumps(value, ensure_ascii=False)
    first, *rest = wrap(f"{lead}{told}{end}", max(8, width - len(INDENT))) or [""]
    return [first, *(f"{INDENT}{row}" for row in rest)]


def _lit(text: str, lit: str) -> Line:
    """Return a line in which the value that is swept stands out."""
    before, found, after = text.partition(lit)
    name, colon, value = found.partition(": ")
    return [Piece(before), Piece(f"{name}{colon}"), Piece(value, "key"), Piece(after)]


# What is beside it


def _neighbour(setting: Setting, other: Setting) -> Line:
    """Return in a few words what the next value would give instead."""
    figures, theirs = setting.figures, other.figures
    has_cost = figures.cost is not None and theirs.cost is not None
    more = other.price - setting.price
    amount = money(abs(more)) if has_cost else f"{tokens(round(abs(more)))} tokens"
    told: Line = []
    if theirs.failing != figures.failing:
        calls = plural(theirs.failing, "call")
        told.append(Piece(f"{calls} would fail, ", "error" if theirs.failing else "ok"))
    told.append(Piece(f"{'costs' if more > 0 else 'saves'} {amount}", "muted"))
    if theirs.limit is not None and not other.has_room:
        share = Piece(percent(theirs.peak, theirs.limit), "warn")
        told += [Piece(", peaks at ", "muted"), share, Piece(" of the limit", "muted")]
    kept = round(theirs.messages_kept - figures.messages_kept)
    if kept:
        word = plural(abs(kept), "message")
        told.append(Piece(f", keeps {word} {'more' if kept > 0 else 'less'}", "muted"))
    return [Piece(f"{other.value:>6,}  ", "bright"), *told]


# In short


def facts_lines(cursor: SweepCursor, width: int) -> list[Line]:
    """Return what there is to say of each policy, and both rules in full."""
    told = [[Piece(row)] for row in wrap(_verdicts(cursor.sweep), max(1, width))]
    rules = [sentence(rule) for rule in _rules(cursor.sweep)]
    return told + [[Piece(row, "faint")] for rule in rules for row in wrap(rule, max(1, width))]


def _rules(sweep: PolicySweep) -> tuple[str, ...]:
    return (FRONT_RULE, SHIP_RULE) if sweep.family is None else sweep.family.rules


def _verdicts(sweep: PolicySweep) -> str:
    """Return what is so of all settings of each policy; those alike are named together."""
    alike: dict[str, list[str]] = {}
    swept = {one.id for one in sweep.swept}
    for one in sweep.comparison.contenders:
        letter = sweep.comparison.letter(one)
        if one.id in swept and sweep.family is not None:
            alike.setdefault(_of(sweep.settings(one)), []).append(letter)
        elif one.policy is not None and one.id not in swept and sweep.sweep is not None:
            alike.setdefault(f"no {visible(sweep.sweep.name, 20)} to sweep.", []).append(letter)
    return " ".join(f"{' '.join(letters)}: {told}" for told, letters in alike.items())


def _of(settings: Sequence[Setting]) -> str:
    clean = [one for one in settings if not one.figures.failing]
    if not clean:
        return "no value is without a failing call."
    if len(clean) == len(settings):
        roomy = [one for one in clean if one.has_room]
        if len(roomy) == len(clean):
            return "every value is clean and has room."
        return "every value is clean, so the limit decides."
    return f"{len(clean):,} of {plural(len(settings), 'value')} are clean."


def verdict(cursor: SweepCursor) -> tuple[str, str]:
    """Return the title of the box, and what is said beside it."""
    sweep = cursor.sweep
    done, whole = sweep.progress
    if sweep.family is None:
        return "This setting", f"{done:,} of {plural(whole, 'setting')} known"
    if cursor.is_shipped:
        return "You would ship this", "clean, widest, peak at most 80 % of the limit"
    if sweep.shipped is None:
        return "This setting", "none is fit to ship: clean, peak at most 80 % of the limit"
    name = "" if sweep.sweep is None else sweep.sweep.name
    return "This setting", f"{name} {sweep.shipped[1]:,} would be shipped; w goes there"
