"""A recorded call as lines of text, at every width."""

from __future__ import annotations

from typing import Any

import pytest
from rich.cells import cell_len

from ctxtui.calls.drawing import (
    SECTIONS,
    agreement_words,
    break_words,
    call_lines,
    head_line,
    read_words,
    source_words,
    taken_words,
)
from ctxtui.calls.models.call import CallPath
from ctxtui.calls.models.sheet import CallSheet
from ctxtui.core import Conversation
from ctxtui.inspector.models.lint import ProfileCount
from ctxtui.text.plots import cache_ruler
from ctxtui.text.symbols import unsafe
from ctxtui.widgets.styled import KINDS, TINTS
from tests.core.requests.traffic import RECORDINGS
from tests.ui.hostility import called
from tests.ui.sent_calls import coder, tools
from tests.ui.test_call_models import measured, read, sheet
from tests.ui.test_calls import said, shown, text

WIDTHS = (14, 30, 54, 78, 118, 200)


def drawn(one: CallSheet, width: int = 110) -> str:
    return "\n".join(shown(call_lines(one, width)))


def section(name: str, one: CallSheet, width: int = 100) -> list[str]:
    found = next(part for part in SECTIONS if part.name == name)
    return shown(found.lines(one, width))


def test_the_head_tells_which_call_it_is_and_how_it_went() -> None:
    head = text(head_line(sheet(5), "", 140))
    assert head.startswith(" CALL 5 of 5   m   ")
    assert "✓ complete   8 messages   965 tokens in   40 out" in head
    assert head.endswith("← → other calls ")
    assert not text(head_line(sheet(5), "", 140, has_keys=False)).endswith("calls ")
    assert "2 new" in text(head_line(sheet(5), "2 new", 140))
    assert text(head_line(sheet(5), "", 40)).startswith(" CALL 5 of 5   ✓ complete")


def test_computed_stands_above_measured_on_one_scale_and_the_call_before_below() -> None:
    lines = section("cache", sheet(5))
    places = {line.split()[0]: line for line in lines if line.split()}
    assert places["computed"].endswith("305 kept          32 %")
    assert places["measured"].endswith("256 cached        27 %")
    assert lines[-1].startswith("call 4    ")
    assert lines[0].split() == ["tools", "system,", "then", "8", "messages", "941"]
    assert places["computed"].index("│") > places["measured"].index("│") > 10
    assert any(
        "breaks in the tools: run_tests vanished; the first 4 are as before" in one for one in lines
    )
    assert any("709 tokens read again" in line for line in lines)


def test_where_it_is_narrow_figures_stand_above_their_ruler() -> None:
    lines = section("cache", sheet(5), 38)
    assert lines[0].split() == ["computed", "305", "kept", "32", "%"]
    assert lines[1].startswith("███")
    assert lines[2].split() == ["measured", "256", "cached", "27", "%"]


@pytest.mark.parametrize(
    ("kept", "total", "told"),
    [
        (0, 100, "│░░░░░░░░░"),
        (50, 100, "█████│░░░░"),
        (99, 100, "████████│░"),
        (100, 100, "██████████"),
        (1, 100, "█│░░░░░░░░"),
        (10, 20, "█│░"),
    ],
)
def test_a_ruler_never_hides_what_is_kept_or_sent(kept: int, total: int, told: str) -> None:
    assert text(cache_ruler(kept, total, 100, 10, is_new=False)) == told


def test_where_the_cache_breaks_is_a_sentence_for_every_cause() -> None:
    assert break_words(sheet(1))[1].startswith("The first call of this path")
    assert break_words(sheet(4)) == ("", "All of call 3 is kept; new messages follow.")
    place, why = break_words(sheet(5, read("lc_clear")))
    assert place == "breaks before position 3"
    assert why == "it was raw 3 in call 4 and is raw 9 now."
    assert break_words(sheet(2, read("ag_headtail")))[1].startswith("all tools vanished")
    assert break_words(sheet(2, read("ag_headtail")))[1].endswith("Messages were only appended.")
    assert break_words(sheet(5))[1].endswith("The messages differ from position 1 on, too.")
    assert break_words(sheet(3, read("ag_headtail")))[1].startswith(
        "tools were added where none were sent before"
    )
    conversation = Conversation([said("user", 3)])
    conversation.record_call(model="a", tools=tools("x", "y"))
    conversation.record_call(model="b", tools=tools("y", "x"))
    assert break_words(sheet(2, conversation))[0] == "breaks at 0"
    conversation.record_call(model="b", tools=tools("x", "y"))
    assert break_words(sheet(3, conversation))[1].startswith("the tools are in another order")
    conversation.record_call(model="b", tools=tools("x", "y"), parameters={"tool_choice": "any"})
    assert break_words(sheet(4, conversation))[1].startswith("tool_choice changed")


def test_whether_both_agree_is_a_sentence() -> None:
    assert agreement_words(sheet(1)) == "The provider served nothing, which fits."
    assert agreement_words(sheet(5)).startswith(
        "Our 305 are about 313 in its count. The difference of 57 fits blocks of up to 128."
    )
    conversation = Conversation([said("system", 2_000)], clock=lambda: 0)
    conversation.record_call(usage=measured(2_000, 64), time=0)
    conversation.append("user", "abcd" * 500)
    conversation.record_call(usage=measured(2_500, 128), time=600_000)
    assert agreement_words(sheet(1, conversation)).startswith("64 were served nonetheless")
    told = agreement_words(sheet(2, conversation))
    served = "The provider served 1,872 fewer than it could, 10 min after it"
    assert told == f"{served}; why is unknown."
    conversation.record_call(usage={"output": 3})
    assert "did not say" in agreement_words(sheet(3, conversation))
    assert read_words(sheet(3, conversation).cache) == "0 tokens read"


@pytest.mark.parametrize(
    ("cached", "told"),
    [
        (64, "The difference of 20 fits blocks of up to 128."),
        (68, "The two differ by 16, which may be how it counts."),
        (84, "The two agree."),
    ],
)
def test_what_two_figures_differ_by_is_told_of_figures_that_are_told(
    cached: int, told: str
) -> None:
    conversation = Conversation([said("system", 68)], clock=lambda: 0)
    conversation.record_call(time=0)
    conversation.append("user", "abcd" * 132)
    conversation.record_call(usage=measured(247, cached), time=1)
    cache = sheet(2, conversation).cache
    assert (cache.kept, cache.expected) == (68, 84)
    lead = "Our 68 are about 84 in its count."
    assert agreement_words(sheet(2, conversation)) == f"{lead} {told}"


def test_an_earlier_call_that_began_in_the_same_way_is_named() -> None:
    assert (
        source_words(sheet(3, read("ag_headtail")).cache)
        == "What is kept began call 1 in the same way."
    )


def test_the_request_says_what_it_was() -> None:
    lines = section("request", sheet(5), 60)
    (changed,) = (line for line in lines if line.startswith("temperature"))
    assert changed.split() == ["temperature", "0", "→", "0.2", "~", "changed"]


def test_usage_has_estimates_measures_and_sums() -> None:
    lines = section("usage", sheet(5), 60)
    assert lines[0].split() == ["estimated", "measured", "off", "by"]
    assert lines[1].split() == ["input", "941", "965", "+3", "%"]
    assert lines[3].split() == ["written", "–", "–", "·"]
    assert lines[-1].startswith("5 calls on this path: 4.2k in, 49 %")


def test_tools_say_what_became_of_each() -> None:
    lines = section("tools", sheet(5), 60)
    assert lines[4].split() == ["−", "run_tests", "−77", "vanished"]
    assert lines[5].split() == ["░", "run", "76", "sent", "again"]
    assert lines[-1] == "The first 4 are unchanged: 306 tokens could be served."
    assert section("tools", sheet(1, one_call())) == ["No tools are sent."]


def one_call(**given: Any) -> Conversation:
    conversation = Conversation([said("user", 3)])
    conversation.record_call(**given)
    return conversation


def test_the_explanation_has_fields_a_chip_ribbons_and_evidence() -> None:
    lines = section("why", sheet(5))
    assert lines[0].split() == ["TRUNCATE", "removeFirst", "2", "keepSystem", "yes", "likely"]
    assert lines[1].startswith("then APPEND  2 messages")
    assert lines[3].startswith("call 4    ▆")
    assert "▂▂" in lines[4]
    assert "✓ raw 1–2 were sent in call 4 and are not in call 5" in lines
    assert "✓ nothing replaces what was removed, so no summary" in lines
    assert any(line.startswith("A proof of TRUNCATE needs more than requests") for line in lines)
    moved = [line.split()[:2] for line in lines[-4:]]
    assert moved == [["−", "1"], ["−", "2"], ["+", "8"], ["+", "9"]]
    assert section("why", sheet(1))[0].split() == ["START", "proven"]


def test_a_call_after_nothing_says_so() -> None:
    conversation = one_call()
    conversation.record_call()
    lines = section("why", sheet(2, conversation))
    assert lines[0] == "Nothing was done: the same was sent again."
    assert "✓ the same 1 message as in call 1" in lines


def test_lint_is_of_what_was_sent_whoever_took_it() -> None:
    one = sheet(5)
    one.profiles = {"generic": ProfileCount(1, 0), "openai": ProfileCount(0, 2)}
    lines = section("lint", one)
    assert " generic  ✖1  openai ▲2  anthropic …" in lines[0]
    assert any(line.startswith("✖ G1  orphaned result") for line in lines)
    assert any("hidden by batch 1 TRUNCATE" in line for line in lines)
    assert lines[-1] == "This server took it."
    assert "no rule of generic is broken" in drawn(sheet(4))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"outcome": "failed"}, "This server refused or lost it"),
        (
            {"outcome": "failed", "wire": {"status": 400}, "answer": {"error": {"message": "no"}}},
            "This server answered 400: no",
        ),
        ({"outcome": "cut"}, "The answer was cut off."),
        ({}, ""),
    ],
)
def test_what_a_server_made_of_it_is_told(given: dict[str, Any], told: str) -> None:
    assert taken_words(sheet(1, one_call(**given))) == told


@pytest.mark.parametrize("name", [*RECORDINGS, "coder"])
@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_is_wider_than_there_is_room(name: str, width: int) -> None:
    path = CallPath(coder() if name == "coder" else read(name))
    for number in range(1, len(path) + 1):
        one = CallSheet(path.at(number))
        lines = [head_line(one, "3 new", width), *call_lines(one, width)]
        assert max(cell_len(text(line)) for line in lines) <= width
        kinds = {piece.kind.partition("-on-")[0] for line in lines for piece in line}
        papers = {piece.kind.partition("-on-")[2] for line in lines for piece in line}
        assert kinds <= set(KINDS)
        assert papers <= {"", *TINTS}


def test_hostile_text_is_only_text() -> None:
    conversation = called()
    for number in (1, 2, 3):
        for width in WIDTHS:
            lines = [head_line(sheet(number, conversation), "", width)]
            lines += call_lines(sheet(number, conversation), width)
            assert [line for line in shown(lines) if unsafe(line) is not None] == []
            assert max(cell_len(text(line)) for line in lines) <= width


def test_figures_of_any_size_can_be_drawn() -> None:
    usage = dict.fromkeys(("input", "cached", "written", "output"), 2**40)
    conversation = one_call(usage=usage)
    conversation.record_call(usage={"cached": 2**40})
    conversation.record_call(usage={"input": 0, "cached": 0})
    for number in (1, 2, 3):
        for width in WIDTHS:
            lines = call_lines(sheet(number, conversation), width)
            assert max(cell_len(text(line)) for line in lines) <= width
