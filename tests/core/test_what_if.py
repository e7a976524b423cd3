"""What would this do: the figures of a preview, and that asking changes nothing."""

from __future__ import annotations

import pytest

from ctxtui.core import Conversation, Refused
from ctxtui.core.what_if import WhatIf, assess
from tests.core.samples import answer, five, said

WINDOW = {"operation": "TRUNCATE", "keepLast": 2}


def orphaned() -> Conversation:
    """Return a call, its result and a question: without the first, the second is an error."""
    call = {"id": "c", "name": "search", "input": {}}
    result = {"tool_use_id": "c", "content": "found"}
    return Conversation(
        [
            {"role": "user", "content": "start"},
            {"role": "assistant", "content": [{"type": "tool_use", "tool_use": call}]},
            {"role": "tool", "content": [{"type": "tool_result", "tool_result": result}]},
            {"role": "user", "content": "and now?"},
        ]
    )


def test_recipes_are_tried_on_the_same_state_and_nothing_changes() -> None:
    c = five()
    c.execute({"operation": "MARK", "indices": [0, 4], "label": "keep"})
    before, what_if = c.copy(), WhatIf(c)
    window = what_if.outcome([WINDOW])
    assert (window.messages, window.tokens, window.error_count) == (2, 2, 0)
    assert window.lost == {"keep": (0,)}
    assert window.marks_lost == {0}
    assert (window.prefix.messages, window.prefix.tokens, window.resent) == (0, 0, 2)
    clear = what_if.outcome({"operation": "CLEAR", "keepSystemMessage": False})
    assert (clear.messages, len(clear.marks_lost)) == (0, 2)
    with pytest.raises(Refused, match="step 1: indices 0 is not visible"):
        what_if.outcome([WINDOW, {"operation": "DELETE", "indices": [0]}])
    assert c == before


def test_findings_that_come_and_go_are_told_apart() -> None:
    c = orphaned()
    broken = WhatIf(c).outcome({"operation": "TRUNCATE", "keepLast": 2})
    assert [(one.rule, one.raw_index) for one in broken.findings_come] == [("G1", 2)]
    assert broken.errors == {"G1": 1}
    c.execute({"operation": "TRUNCATE", "keepLast": 2})
    mended = WhatIf(c).outcome({"operation": "REPAIR", "policy": "drop"})
    assert [one.rule for one in mended.findings_gone] == ["G1"]
    assert not mended.findings_come


def test_what_was_done_is_judged_like_what_would_be() -> None:
    c = five()
    what_if = WhatIf(c)
    told = what_if.outcome(WINDOW).to_dict()
    assert what_if.judge(c.execute(WINDOW)).to_dict() == told
    assert assess(c.moment).messages == told["messages"]


def test_doing_nothing_keeps_the_projection() -> None:
    what_if = WhatIf(five())
    assert what_if.now.keeps_projection
    assert what_if.now.resent == 0
    assert not what_if.outcome(WINDOW).keeps_projection


def test_the_profile_decides_what_counts_as_an_error() -> None:
    c = five()
    assert assess(c.moment, "generic").error_count == 0
    assert assess(c.moment, "gemini").error_count == 1
    assert WhatIf(c, "gemini").now.error_count == 1


def test_the_figures_as_data() -> None:
    assert WhatIf(five()).outcome(WINDOW).to_dict() == {
        "messages": 2,
        "tokens": 2,
        "counter": "bytes/4",
        "errors": 0,
        "warnings": 0,
        "marksLost": 0,
        "prefixMessages": 0,
        "prefixTokens": 0,
    }


def test_a_copy_of_a_broken_message_brings_no_new_error() -> None:
    broken = [said("user", "x"), answer("gone")]
    conversation = Conversation(broken)
    outcome = WhatIf(conversation).outcome(
        [{"operation": "REPLACE", "index": 1, "message": broken[1]}]
    )
    assert outcome.error_count == 1
    assert (outcome.findings_come, outcome.findings_gone) == ([], [])
    other = {"operation": "REPLACE", "index": 1, "message": answer("other")}
    changed = WhatIf(conversation).outcome([other])
    assert [len(changed.findings_come), len(changed.findings_gone)] == [1, 1]
