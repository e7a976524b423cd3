"""Two texts word by word: what both have, what went and what came."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Literal, NamedTuple

from ctxtui.core.engine.diff import common_start
from ctxtui.text.lines import Line, Piece, Span, flow
from ctxtui.text.symbols import LINE_BREAK, printable

MOST_WORDS = 4_000
MOST_EDITS = 600
"""How many words or lines may differ, and how many edits it may take, to be compared by them."""
MOST_SHOWN = 20_000
"""Characters at the start and at the end of a stretch that are drawn."""

NEAR = 2
"""Lines that stay on each side of a change where longer stretches are the same."""

# Words, white space, other signs; scripts without spaces go character by character.
_WORD = re.compile(r"\s+|[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W\u3040-\u9fff]+|.", re.S)


class Edit(NamedTuple):
    """A stretch of text that is in both texts, only in the old or only in the new one."""

    kind: Literal["same", "out", "in"]
    text: str


def edits(old: str, new: str) -> list[Edit]:
    """Return how one text becomes another, of any length.

    What both begin with and end with is cut off. What is between is compared by words, by lines
    where that is too much, and else replaced as a whole.
    """
    start = common_start(old, new)
    end = common_start(old[start:][::-1], new[start:][::-1])
    while start and _splits_word(old, new, start, start):
        start -= 1
    while end and _splits_word(old, new, len(old) - end, len(new) - end):
        end -= 1
    left, right = old[start : len(old) - end], new[start : len(new) - end]
    first, last = Edit("same", old[:start]), Edit("same", old[len(old) - end :])
    return _joined(iter([first, *_between(left, right), last]))


def _between(left: str, right: str) -> list[Edit]:
    """Return how a text becomes another with another start and another end."""
    for cut in (_WORD.findall, partial(str.splitlines, keepends=True)):
        before, after = cut(left), cut(right)
        if max(len(before), len(after)) <= 2 * MOST_WORDS:
            common = _common(before, after)
            if common is not None:
                return list(_steps(before, after, common))
    return [Edit("out", left), Edit("in", right)]


def _splits_word(old: str, new: str, at: int, to: int) -> bool:
    """Return whether a place in two texts is inside of a word or of white space in either."""
    pairs = (old[max(0, at - 1) : at + 1], new[max(0, to - 1) : to + 1])
    return any(len(pair) > 1 and len(_WORD.findall(pair)) == 1 for pair in pairs)


def _common(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]] | None:
    """Return the places of a longest common subsequence, by Myers' algorithm.

    Its work grows with the texts and the square of the edits, so it gives up after some.
    """
    furthest, rounds = {1: 0}, []
    for edit in range(min(len(before) + len(after), MOST_EDITS) + 1):
        rounds.append(furthest.copy())
        for diagonal in range(-edit, edit + 1, 2):
            x, _ = _entered(furthest, diagonal, edit)
            y = x - diagonal
            while x < len(before) and y < len(after) and before[x] == after[y]:
                x, y = x + 1, y + 1
            furthest[diagonal] = x
            if x >= len(before) and y >= len(after):
                return list(_traced(rounds, x, y))[::-1]
    return None


def _entered(furthest: dict[int, int], diagonal: int, edit: int) -> tuple[int, bool]:
    """Return where the best way enters a diagonal, and whether a word was put in for that."""
    is_first, is_last = diagonal == -edit, diagonal == edit
    if is_first or (not is_last and furthest[diagonal - 1] < furthest[diagonal + 1]):
        return furthest[diagonal + 1], True
    return furthest[diagonal - 1] + 1, False


def _traced(rounds: list[dict[int, int]], x: int, y: int) -> Iterator[tuple[int, int]]:
    for edit in range(len(rounds) - 1, -1, -1):
        start, was_put_in = _entered(rounds[edit], x - y, edit)
        while x > start:
            x, y = x - 1, y - 1
            yield x, y
        x, y = (x, y - 1) if was_put_in else (x - 1, y)


def _steps(
    before: Sequence[str], after: Sequence[str], pairs: list[tuple[int, int]]
) -> Iterator[Edit]:
    i = j = 0
    for at, to in [*pairs, (len(before), len(after))]:
        yield Edit("out", "".join(before[i:at]))
        yield Edit("in", "".join(after[j:to]))
        yield Edit("same", "".join(before[at : at + 1]))
        i, j = at + 1, to + 1


def _joined(steps: Iterator[Edit]) -> list[Edit]:
    """Return steps with neighbours joined; blanks alone between two changes belong to both."""
    runs = [
        Edit(kind, "".join(step.text for step in group))
        for kind, group in groupby((s for s in steps if s.text), key=lambda step: step.kind)
    ]
    made: list[Edit] = []
    out = new = ""
    for at, (kind, text) in enumerate(runs):
        is_gap = kind == "same" and text.isspace() and "\n" not in text
        if kind == "same" and not (is_gap and 0 < at < len(runs) - 1):
            made += [Edit("out", out), Edit("in", new), Edit("same", text)]
            out = new = ""
        else:
            out += text if kind != "in" else ""
            new += text if kind != "out" else ""
    made += [Edit("out", out), Edit("in", new)]
    return [edit for edit in made if edit.text]


def edit_lines(changes: Sequence[Edit], width: int) -> list[Line]:
    """Return changes as lines: ``−`` before what was removed, ``+`` before what was added."""
    spans: list[Span] = []
    for at, (kind, whole) in enumerate(changes):
        text = whole
        if len(whole) > 2 * MOST_SHOWN:
            same = " the same" if kind == "same" else ""
            left_out = f"\n… {len(whole) - 2 * MOST_SHOWN:,} characters{same} …\n"
            text = f"{whole[:MOST_SHOWN]}{left_out}{whole[-MOST_SHOWN:]}"
        if kind == "same":
            spans.append((text, "text"))
        elif kind == "out":
            spans += _signed("−", "error", text, printable(text), "struck")
            if at + 1 < len(changes) and changes[at + 1].kind == "in" and not text[-1].isspace():
                spans.append((" ", "text"))
        else:
            spans += _signed("+", "ok", text, text.replace("\n", f"{LINE_BREAK}\n"), "ok")
    return _near_changes(flow(spans, max(4, width)))


def _signed(sign: str, sign_kind: str, text: str, shown: str, kind: str) -> list[Span]:
    """Return a change with its sign at its first word, not at the space before it."""
    blank = 0 if text.isspace() else len(text) - len(text.lstrip(" "))
    return [(" " * blank, "text"), (sign, sign_kind), (_spaced(shown)[blank:], kind)]


def _spaced(text: str) -> str:
    """Return a text in which spaces can be seen where there is nothing else."""
    return text.replace(" ", "␣") if text.isspace() else text


def _near_changes(lines: list[Line]) -> list[Line]:
    """Return lines without those far from any change, and how many these were."""
    changed = [at for at, line in enumerate(lines) if any(kind != "text" for _, kind in line)]
    if not changed:
        return lines
    kept = {near for at in changed for near in range(at - NEAR, at + NEAR + 1)}
    made: list[Line] = []
    for is_kept, group in groupby(range(len(lines)), key=kept.__contains__):
        members = list(group)
        if is_kept or len(members) == 1:
            made += [lines[at] for at in members]
        else:
            made.append([Piece(f"… {len(members)} lines the same", "faint")])
    return made
