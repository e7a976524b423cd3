"""What a model saw of a run, next to what was sent."""

from __future__ import annotations

import pytest

from ctxtui.core.policies.runs import SimulationConfig, run_of
from ctxtui.core.policies.seen_run import seen_run
from ctxtui.core.policies.simulation import recorded
from tests.core.requests.test_seen import loaded


def test_what_a_provider_cleared_is_not_counted_and_breaks_the_prefix() -> None:
    (talk,) = loaded("a_tools_grow")
    talk.execute({"operation": "MARK", "indices": [3], "label": "must"})
    config = SimulationConfig.about(run_of(talk))
    sent, seen = recorded(config), seen_run(config, talk)
    assert sent is not None
    assert seen is not None
    assert seen.name == "(seen)"
    pairs = list(zip(sent.figures.per_call, seen.figures.per_call, strict=True))
    assert [now.acted for _, now in pairs] == [False] * 3 + [True] * 7
    for at, (was, now) in enumerate(pairs):
        assert now.messages == was.messages
        assert (now.tokens == was.tokens) == (at < 3)
        assert (now.prefix_tokens == was.prefix_tokens) == (at < 3)
        assert now.marks_missing == (at >= 3)
    assert [m.text for m in seen.at(4).visible][1] == [m.text for m in sent.at(4).visible][1]


@pytest.mark.parametrize("name", ["a_thread", "o_chain", "a_compact_pause"])
def test_where_nothing_was_edited_or_not_all_is_known_there_is_only_what_was_sent(
    name: str,
) -> None:
    talk = loaded(name)[0]
    assert seen_run(SimulationConfig.about(run_of(talk)), talk) is None
