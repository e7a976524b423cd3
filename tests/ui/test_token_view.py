"""The tokens view: columns over the batches and messages, tables, limit and policy, as strings."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import Any

import pytest
from rich.cells import cell_len

from ctxtui.calls.models.call import CallPath
from ctxtui.calls.models.sheet import CallSheet
from ctxtui.core import Conversation
from ctxtui.core.values.models import ROLES
from ctxtui.inspector.drawing.tokens import sampled, token_lines
from ctxtui.inspector.models import links
from ctxtui.inspector.models.look import Figures, Look
from ctxtui.text.lines import Line, Piece
from ctxtui.text.plots import Guide, Plot, bucket_of, placed, round_step, scale_for, stacked
from ctxtui.widgets.styled import KINDS
from tests.ui.sent_calls import coder

WIDTHS = (1, 7, 20, 40, 76, 119, 120, 136, 196)


def said(role: str, tokens: int) -> dict[str, Any]:
    """Return a message of so many tokens, by the default counter."""
    return {"role": role, "content": "abcd" * tokens}


def text(lines: Sequence[Line]) -> list[str]:
    return ["".join(piece.text for piece in line).rstrip() for line in lines]


def row(lines: Sequence[Line], start: str) -> Line:
    """Return the first line whose text, white space aside, starts with some words."""
    return next(line for line in lines if text([line])[0].lstrip().startswith(start))


def section(lines: Sequence[Line], title: str) -> list[Line]:
    """Return the lines of a stacked section, its head first."""
    names = text(lines)
    first = next(i for i, name in enumerate(names) if name.startswith(title))
    stop = next((i for i in range(first, len(names)) if not names[i]), len(names))
    return list(lines[first:stop])


def kinds(line: Line, mark: str) -> set[str]:
    return {piece.kind for piece in line if mark in piece.text}


def grown() -> Conversation:
    """Return a conversation of four batches that crosses its limit in the second."""
    settings = {
        "tokenLimit": 1_000,
        "compressionConfig": {"enabled": True, "threshold": 800, "targetTokens": 500},
    }
    start = [said("system", 100), said("user", 100), said("assistant", 200), said("tool", 400)]
    conversation = Conversation(start, settings)
    conversation.execute({"operation": "INSERT", "position": 4, "messages": [said("tool", 300)]})
    conversation.execute({"operation": "DELETE", "indices": [3]})
    conversation.execute({"operation": "REDACT", "indices": [4]})
    return conversation


def test_a_column_stands_for_each_batch_with_its_roles_on_top_of_each_other() -> None:
    plot = section(token_lines(Look(grown()), 100), "Over batches")
    assert [line.split() for line in text(plot)[-3:]] == [
        ["0", "1!", "2", "3"],
        ["800", "1.1k", "700", "403"],
        ["start", "insert", "delete", "redact"],
    ]
    ground = next(i for i, name in enumerate(text(plot)) if "└" in name)
    first = [kinds(line, "█") for line in plot[1:ground]]
    assert first[-1] == {"system"}
    assert {"user", "assistant", "tool"} <= set().union(*first)
    assert [piece.kind for piece in plot[-3] if piece.text.strip()] == [
        "muted",
        "error",
        "muted",
        "bright",
    ]


def test_limit_and_threshold_are_lines_with_their_numbers_at_the_axis() -> None:
    plot = section(token_lines(Look(grown()), 100), "Over batches")
    limit, threshold = row(plot, "1.0k"), row(plot, "800")
    assert text([limit])[0].endswith("╌ limit")
    assert kinds(limit, "╌") == kinds(limit, "1.0k") == {"warn"}
    assert text([threshold])[0].endswith("┈ threshold")
    assert kinds(threshold, "┈") == {"muted"}


def test_without_a_limit_or_with_one_out_of_reach_no_line_is_drawn() -> None:
    free = token_lines(Look(Conversation([said("user", 10)])), 100)
    far = token_lines(Look(Conversation([said("user", 10)], {"tokenLimit": 200_000})), 100)
    for lines in (free, far):
        assert not any("╌" in line for line in text(lines))
        assert kinds(row(lines, "10 ┤"), "█") == {"user"}
    assert "No token limit is set." in text(free)
    assert "Limit 200,000: room for 199,990 more tokens." in text(far)


def test_the_batch_that_is_looked_at_is_the_bright_one() -> None:
    conversation = grown()
    lines = section(token_lines(Look.at_batch(conversation, 2), 100), "Over batches")
    assert [p.text for p in lines[-3] if p.kind == "bright"] == ["2"]
    conversation.rollback(0)
    conversation.execute({"operation": "CLEAR"})
    abandoned = section(token_lines(Look.at_batch(conversation, 1), 100), "Over batches")
    assert text(abandoned)[-1].split() == ["start", "insert"]
    assert text(section(token_lines(Look(conversation), 100), "Over batches"))[-1].split() == [
        "start",
        "clear",
    ]


def test_more_batches_than_columns_are_sampled_and_their_labels_thinned() -> None:
    conversation = Conversation([said("user", 3)])
    for i in range(300):
        conversation.execute({"operation": "REPLACE", "index": 0, "message": said("user", i + 1)})
    lines = section(token_lines(Look(conversation), 60), "Over batches")
    numbers = [int(number) for number in text(lines)[-1].split()]
    assert numbers[-1] == 300
    assert 5 <= len(numbers) <= 13
    assert numbers == sorted(numbers)
    assert all(cell_len(line) <= 60 for line in text(lines))


def test_a_bucket_shows_its_last_batch_or_the_one_that_is_looked_at() -> None:
    assert sampled(4, 3, 10) == [0, 1, 2, 3]
    assert sampled(10, 9, 5) == [1, 3, 5, 7, 9]
    assert sampled(10, 4, 5) == [1, 3, 4, 7, 9]
    assert len(sampled(10_000, 0, 70)) == 70


def test_the_table_tells_who_holds_the_tokens_and_what_of_the_log_that_is() -> None:
    lines = token_lines(Look(grown()), 100)
    tool, user = row(lines, "↳ tool"), row(lines, "❯ user")
    assert text([user])[0].split() == [
        *("❯", "user", "1", "100", "100", "25", "%"),
        *("━━━━━━", "1", "100"),
    ]
    assert text([tool])[0].split() == ["↳", "tool", "1", "3", "3", "1", "%", "╴", "3", "703"]
    assert kinds(tool, "╴") == {"tool"}
    assert "all visible       4     403   40 % of 1.0k" in text(lines)
    assert "all raw           6    1.1k   37 % of it visible" in text(lines)


def test_tool_definitions_have_a_line_of_their_own() -> None:
    tools = [{"name": "run", "description": "Run a command", "parameters": {"type": "object"}}]
    lines = token_lines(Look(Conversation([said("user", 10)], meta={"tools": tools})), 76, 40, 0)
    assert text([row(lines, "tools")])[0].split()[1:3] == ["1", "20"]
    assert not [one for one in text(token_lines(Look(grown()), 76, 40, 0)) if "tools" in one]


def test_tools_of_the_newest_call_are_counted_as_its_own_screen_does() -> None:
    conversation = coder()
    sheet = CallSheet(CallPath(conversation).at(5))
    sent = [one for one in sheet.tools.rows if one.change != "vanished"]
    assert Look(conversation).tool_definitions == (len(sent), sum(one.tokens for one in sent))
    assert len(sent) == 6


def test_what_providers_charged_and_what_was_not_counted_is_said() -> None:
    image = {"type": "image", "image_url": {"url": "data:,x"}}
    conversation = Conversation([{"role": "user", "content": [image, image]}])
    lines = text(token_lines(Look(conversation), 100))
    assert any("▲ 2 parts not counted" in line for line in lines)
    assert not any("provider said" in line for line in lines)
    conversation.record_usage(1_200, 30)
    conversation.record_usage(2_400, 70)
    lines = text(token_lines(Look(conversation), 100))
    assert "provider said          2.4k   prompt of the newest request" in lines
    assert "lifetime               3.7k   2 requests, as providers count" in lines


def test_a_provider_s_figure_stands_beside_what_was_counted_then_with_its_counter() -> None:
    conversation = Conversation([said("user", 100)])
    conversation.record_usage(103, 5)
    conversation.append("user", "abcd" * 900)
    lines = text(token_lines(Look(conversation), 100))
    assert "provider said           103   prompt of the newest request" in lines
    assert "counted then            100   by bytes/4, provider +3 %" in lines
    conversation.record_usage(500)
    lines = text(token_lines(Look(conversation), 100))
    assert "counted then           1.0k   by bytes/4, provider −50 %" in lines


def test_the_prefix_that_a_prompt_cache_keeps_is_marked_and_counted() -> None:
    conversation = Conversation([said("system", 30), said("user", 10), said("user", 60)])
    conversation.execute({"operation": "DELETE", "indices": [1]})
    lines = token_lines(Look(conversation), 100)
    assert "cached            1      30   33 %, as in batch 0" in text(lines)
    assert "sent again        1      60   67 %" in text(lines)
    plot = section(lines, "Per message")
    marks = next(line for line in plot if any("║" in piece.text for piece in line))
    assert kinds(marks, "║") == {"ok"}
    assert "".join(piece.text for piece in marks).count("║") == 1
    assert "cached prefix ends here: 1 message, 30 tokens" in text([marks])[0]


def test_the_first_batch_has_nothing_to_be_cached_and_an_append_keeps_all() -> None:
    conversation = Conversation([said("user", 30)])
    assert not any("cached" in line for line in text(token_lines(Look(conversation), 100)))
    conversation.execute({"operation": "BATCH_START"})
    conversation.append("user", "more")
    lines = "\n".join(text(token_lines(Look(conversation), 100)))
    assert "cached prefix ends here: 1 message" in lines
    conversation.execute({"operation": "CLEAR"})
    assert "cached            0       0" in "\n".join(text(token_lines(Look(conversation), 100)))


def test_a_long_projection_marks_the_columns_that_are_cached_as_a_whole() -> None:
    conversation = Conversation([said("user", i % 2 + 1) for i in range(1_000)])
    conversation.execute({"operation": "DELETE", "indices": [500]})
    plot = section(token_lines(Look(conversation), 76), "Per message")
    marks = next("".join(piece.text for piece in line) for line in plot if "║" in str(line))
    assert marks.count("║") == 500 * 67 // 999


def test_each_message_is_a_column_and_the_cursor_is_marked() -> None:
    conversation = Conversation([said("user", 10), said("tool", 40), said("assistant", 20)])
    conversation.execute({"operation": "DELETE", "indices": [0]})
    lines = section(token_lines(Look(conversation), 76, raw=2), "Per message")
    top = next(line for line in lines if any("█" in piece.text for piece in line))
    assert kinds(top, "█") == {"tool"}
    assert kinds(lines[-3], "▲") == {"key"}
    assert text(lines)[-1] == "▲ asst position 1  raw 2  20 tokens"
    hidden = section(token_lines(Look(conversation), 76, raw=0), "Per message")
    assert text(hidden)[-1] == "▲ raw 0 is hidden here"
    assert not any(kinds(line, "▲") == {"key"} for line in hidden)


def test_more_messages_than_columns_show_the_largest_of_each_bucket() -> None:
    many = [said("tool" if i == 500 else "user", 90 if i == 500 else 1) for i in range(1_000)]
    lines = section(token_lines(Look(Conversation(many)), 76, raw=500), "Per message")
    assert "each column is the largest of 15" in text(lines)[0]
    top = next(line for line in lines if any("█" in piece.text for piece in line))
    assert kinds(top, "█") == {"tool"}
    assert text([top])[0].index("█") == text(lines)[-2].index("▲")


def test_the_largest_eight_are_listed_with_place_role_and_share() -> None:
    sizes = [5, 50, 6, 40, 7, 30, 8, 20, 9, 10]
    conversation = Conversation([said("user", size) for size in sizes])
    conversation.execute({"operation": "DELETE", "indices": [0]})
    lines = section(token_lines(Look(conversation), 76), "Largest visible messages")
    assert text(lines)[0].endswith("8 messages hold 97 %")
    assert [line.split()[:2] for line in text(lines)[2:]] == [
        *(["0", "1"], ["2", "3"], ["4", "5"], ["6", "7"]),
        *(["8", "9"], ["7", "8"], ["5", "6"], ["3", "4"]),
    ]
    assert text(lines)[2].endswith("50   28 %")


@pytest.mark.parametrize(
    ("settings", "size", "sentence", "kind"),
    [
        ({}, 9, "No policy: nothing is offered when the context grows.", "muted"),
        (
            {"compressionConfig": {"threshold": 8, "targetTokens": 5}},
            9,
            "Policy off (threshold 8, target 5): nothing is offered.",
            "muted",
        ),
        (
            {"compressionConfig": {"enabled": True, "threshold": 80, "targetTokens": 50}},
            30,
            "Next offer at 80: TRUNCATE maxTokens 50, keepSystem, keepPairs.",
            "text",
        ),
        (
            {"compressionConfig": {"enabled": True, "threshold": 80, "targetTokens": 50}},
            30,
            "50 more tokens until then, about 2 messages as they are here.",
            "muted",
        ),
        (
            {"compressionConfig": {"enabled": True, "threshold": 8, "targetTokens": 5}},
            9,
            "▲ 1 above the threshold: the next APPEND offers a cut.",
            "warn",
        ),
        ({"tokenLimit": 5}, 9, "! 4 tokens above the limit of 5.", "error"),
    ],
)
def test_limit_and_policy_are_told_in_words(
    settings: dict[str, Any], size: int, sentence: str, kind: str
) -> None:
    lines = token_lines(Look(Conversation([said("user", size)], settings)), 76)
    assert [Piece(sentence, kind)] in lines


def test_an_offer_of_the_engine_is_shown_as_it_was_made() -> None:
    conversation = grown()
    conversation.append("user", "abcd" * 500)
    lines = token_lines(Look(conversation), 76)
    offer = "▲ Offered now: TRUNCATE maxTokens 500, keepSystem, keepPairs."
    assert [Piece(offer, "warn")] in lines


def test_wide_views_stand_side_by_side_and_fill_the_height_they_are_given() -> None:
    look = Look(grown())
    wide, narrow = text(token_lines(look, 136)), text(token_lines(look, 119))
    assert "By role" in wide[0]
    assert any(line.startswith("By role") for line in narrow)
    assert len(token_lines(look, 136, 36)) == 34
    assert len(token_lines(look, 136, 36, raw=0)) == 35
    assert len(token_lines(look, 136, 50)) > len(token_lines(look, 136, 36))


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_view_and_every_kind_has_a_colour(width: int) -> None:
    hostile = Conversation(
        [
            {"role": "user", "content": "\x1b[31m[/x] \u202e漢字\ud800\n" * 50},
            {"role": "assistant", "content": [{"type": "text", "text": ""}]},
        ],
        {"tokenLimit": 100},
    )
    cases = (Conversation(), Conversation([said("tool", 1)]), grown(), hostile)
    for conversation in cases:
        for raw in (None, 0, 99):
            for line in token_lines(Look(conversation), width, raw=raw):
                shown = "".join(piece.text for piece in line)
                assert cell_len(shown) <= width
                assert {piece.kind for piece in line} <= set(KINDS)
                assert all(char.isprintable() for char in shown)


def test_an_empty_conversation_and_one_without_tokens_have_empty_plots() -> None:
    blank = {"role": "user", "content": [{"type": "text", "text": ""}]}
    for conversation in (Conversation(), Conversation([blank])):
        lines = text(token_lines(Look(conversation), 100))
        assert not any("█" in line or "▄" in line for line in lines)
        assert "all visible" in "".join(lines)
        assert not any("┤" in line for line in lines)
    assert "Nothing is visible." in text(token_lines(Look(Conversation()), 100))


def test_a_scale_has_round_numbers_and_wastes_little() -> None:
    for rows in (6, 7, 11, 20):
        for peak in (1, 3, 7, 99, 441, 1_000, 16_000, 999_999, 12_345_678):
            scale = scale_for(peak, rows)
            assert str(scale.step).rstrip("0") in ("1", "2", "5")
            assert scale.step * rows >= peak * scale.rows
            assert scale.halves(peak) <= 2 * rows
            assert scale.halves(peak) > rows or peak < 3
    assert scale_for(0, 7).halves(0) == 0
    assert scale_for(1_000_000, 7).halves(1) == 1


def test_a_column_is_half_a_row_exact_and_leaves_out_only_what_is_slight() -> None:
    def drawn(amounts: Sequence[int], halves: int) -> list[tuple[str, str]]:
        return [tuple(p) for p in stacked(list(zip("abcd", amounts, strict=True)), halves)]  # type: ignore[misc]

    assert drawn((1, 0, 0, 0), 1) == [("▄", "a")]
    assert drawn((1, 1, 0, 2), 8) == [("█", "a"), ("█", "b"), ("█", "d"), ("█", "d")]
    assert drawn((1, 0, 0, 2), 5) == [("█", "a"), ("█", "d"), ("▄", "d")]
    assert drawn((1, 0, 0, 900), 4) == [("█", "d"), ("█", "d")]
    assert drawn((3, 4, 5, 6), 2) == [("█", "d")]
    assert drawn((0, 0, 0, 0), 0) == []


def test_a_plot_keeps_guides_and_numbers_apart() -> None:
    guides = [Guide(70, "limit", "warn"), Guide(65, "threshold", "muted", "┈")]
    lines = text(Plot([[("user", 100)]], 40, 10, guides=guides).lines())
    assert len(lines) == 11
    assert [line.split()[0] for line in lines if "┤" in line] == ["100", "70", "50"]
    assert all(len(line) <= 40 for line in lines)


def test_labels_never_touch_and_the_first_has_the_right_of_way() -> None:
    line = placed([(5, Piece("here")), (4, Piece("0")), (12, Piece("10")), (19, Piece("last"))], 20)
    assert "".join(piece.text for piece in line) == "   here    10   last"
    assert placed([(0, Piece("too long"))], 4) == []
    assert [round_step(10, whole) for whole in (0, 10, 11, 99, 101, 501)] == [1, 1, 2, 10, 20, 100]
    assert [bucket_of(at, 10, 4) for at in range(10)] == [0, 0, 1, 1, 1, 2, 2, 3, 3, 3]


def test_figures_follow_the_log_and_a_change_of_the_counter() -> None:
    conversation = grown()
    for _ in range(2):
        look = Look(conversation)
        found = dict(zip(ROLES, look.figures.by_role(look.view), strict=True))
        assert found == look.role_tokens
        assert list(look.figures.column(look.view)) == [look.tokens(raw) for raw in look.view]
        conversation.append("user", "one more")
    known = Look(conversation).figures
    assert Look(conversation).figures is known
    conversation.execute({"operation": "CONFIGURE", "counter": "o200k"})
    look = Look(conversation)
    assert sum(look.figures.by_role(look.view)) == look.total
    assert look.figures is not known


def test_figures_are_forgotten_with_their_conversation() -> None:
    conversation = grown()
    look = Look(conversation)
    token_lines(look, 100)
    key = (id(conversation), (Figures, look.counter))
    assert key in links._KEPT
    del look, conversation
    gc.collect()
    assert key not in links._KEPT


def test_a_draw_asks_for_no_message_but_those_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    conversation = Conversation([said(ROLES[i % 4], i % 50 + 1) for i in range(5_000)])
    for i in range(200):
        conversation.execute({"operation": "REPLACE", "index": i, "message": said("user", 7)})
    look = Look(conversation)
    token_lines(look, 136)
    asked: list[object] = []
    log = type(conversation.log)

    def watched(name: str) -> None:
        real = getattr(log, name)

        def ask(*args: object) -> object:
            asked.append(args)
            return real(*args)

        monkeypatch.setattr(log, name, ask)

    watched("tokens_before")
    watched("__getitem__")
    token_lines(look, 136, raw=9)
    assert len(asked) <= 20


def test_every_role_is_in_sight_on_a_small_screen() -> None:
    low, high = (text(token_lines(Look(grown()), 76, height)) for height in (14, 40))
    assert all(any(role in line for line in low[:14]) for role in ("system", "user", "tool"))
    assert low[0].startswith("By role")
    assert high[0].startswith("Over batches")
