"""A short torture: damaged inputs of every kind are accepted as a whole or refused in a sentence.

A longer one is ``run(100_000, seed)`` of ``tests.torture.inputs``.
"""

from __future__ import annotations

import pytest

from ctxtui.core import Conversation
from tests.torture import inputs
from tests.torture.mutations import Chance, mutated
from tests.torture.samples import SCRIPT


@pytest.mark.parametrize("seed", range(4))
def test_damaged_inputs_do_no_harm(seed: int) -> None:
    report = inputs.run(400, seed)
    assert report.failures == []
    assert report.tried == 400


def test_the_same_seed_damages_in_the_same_way() -> None:
    made = [mutated(Chance("x"), SCRIPT) for _ in range(2)]
    assert repr(made[0]) == repr(made[1])


def test_what_is_not_refused_in_a_sentence_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object, **__: object) -> object:
        raise KeyError("a slip")

    monkeypatch.setattr(Conversation, "preview", breaks)
    report = inputs.run(100, 1)
    assert len(report.failures) == inputs.MOST_FAILURES
    assert "of seed 1: KeyError: 'a slip'" in report.failures[0]
