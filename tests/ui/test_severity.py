"""The signs of severity: one for each, in an ink of its own, declared in one place."""

from __future__ import annotations

from pathlib import Path

import ctxtui
from ctxtui.core import Finding
from ctxtui.text import icons as severity
from ctxtui.text.icons import ERROR, PASSED, WARNING, icon_of, worst_of
from ctxtui.text.lines import Piece

BAD = Finding("X1", "error", 3, 1, "This is wrong.")
ODD = Finding("X2", "warning", 3, 1, "This may be wrong.")


def test_a_finding_has_the_sign_of_its_severity() -> None:
    assert (icon_of(BAD), icon_of(ODD)) == (ERROR, WARNING)
    assert len({ERROR, WARNING, PASSED}) == 3


def test_words_stand_behind_a_sign_in_its_ink() -> None:
    assert ERROR.text("refused") == "✖ refused"
    assert PASSED.piece("saved ") == Piece("✓ saved ", "ok")
    assert WARNING.piece() == Piece("▲ ", "warn")


def test_of_several_findings_the_worst_is_told() -> None:
    assert worst_of([ODD, BAD]) == [Piece(" ✖ X1", "error")]
    assert worst_of([ODD]) == [Piece(" ▲ X2", "warn")]
    assert worst_of([]) == []


def test_no_other_module_draws_these_signs_by_hand() -> None:
    sources = Path(ctxtui.__path__[0]).rglob("*.py")
    signs = (ERROR.glyph, PASSED.glyph)
    drawing = [file for file in sources if any(one in file.read_text("utf-8") for one in signs)]
    assert drawing == [Path(severity.__file__)]
