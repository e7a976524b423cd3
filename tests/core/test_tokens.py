"""Tokens: the default counter, another one, totals, and what the engine points out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import (
    Append,
    Clear,
    Configure,
    Conversation,
    Delete,
    Mark,
    Message,
    Rollback,
    Truncate,
)
from ctxtui.core.engine.queries import Notice, Offer, OverLimit
from ctxtui.core.engine.tokens import DEFAULT, counter_named
from tests.core.samples import (
    Words,
    answer,
    facts,
    five,
    refusal,
    refused,
    registered,
    replayed,
    said,
    talk,
)

IMAGE = {"type": "image", "image_url": {"url": "http://x"}}
DATA = {"type": "data", "data": {"a": "b" * 100}}
LONG = said("user", "x" * 400)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("a", 1), ("abcd", 1), ("abcde", 2), ("é" * 4, 2), ("日本語", 3), ("🙂", 1), ("\ud800", 1)],
)
def test_the_default_counts_a_quarter_of_the_bytes_rounded_up(text: str, tokens: int) -> None:
    assert DEFAULT.count(Message("user", text)) == tokens


@given(st.text(min_size=1))
def test_a_count_is_at_least_a_quarter_of_the_bytes_and_less_than_one_more(text: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    assert size <= 4 * DEFAULT.count(Message("user", text)) < size + 4


def test_an_empty_message_costs_nothing() -> None:
    assert talk(said("user", [{"type": "text", "text": ""}])).tokens.total == 0


def test_tokens_are_those_of_the_projection_and_name_their_counter() -> None:
    conversation = talk(LONG, *[said("user", "abcd")] * 3)
    conversation.execute(Delete(indices=[0]))
    assert conversation.tokens.to_dict() == {
        "total": 3,
        "counter": "bytes/4",
        "exact": False,
        "notCounted": 0,
    }


def test_images_and_data_are_reported_as_not_counted() -> None:
    result = {"tool_use_id": "a", "content": [IMAGE, DATA, {"type": "text", "text": "abcd"}]}
    conversation = talk(
        said("user", [IMAGE, {"type": "text", "text": "abcd"}]),
        said("tool", [{"type": "tool_result", "tool_result": result}, DATA]),
        answer("a"),
        said("user", [IMAGE]),
    )
    conversation.execute(Delete(indices=[3]))
    assert conversation.tokens.total == 1 + 1 + 2
    assert conversation.tokens.not_counted == 4


def kinds(notices: tuple[Notice, ...]) -> list[str]:
    """Return what notices are about."""
    return [notice.kind for notice in notices]


def test_over_the_limit_is_said_once_for_each_new_revision() -> None:
    conversation = five(tokenLimit=5)
    assert conversation.notices() == ()
    result = conversation.append("user", "x")
    assert result.notices == (OverLimit(6, 5),)
    assert result.notices[0].to_dict() == {"kind": "overLimit", "tokens": 6, "limit": 5}
    assert conversation.execute(Mark(indices=[0], label="x")).notices == ()
    assert conversation.append("user", "x").notices == (OverLimit(7, 5),)
    assert conversation.notices() == conversation.notices() == (OverLimit(7, 5),)


def test_going_back_to_a_revision_above_the_limit_says_nothing_again() -> None:
    conversation = five(tokenLimit=4)
    assert kinds(conversation.notices()) == ["overLimit"]
    assert conversation.execute(Delete(indices=[0])).notices == ()
    assert conversation.execute(Rollback(target_batch_index=0)).notices == ()
    assert conversation.undo().notices == ()


def test_exactly_the_limit_is_not_above_it_and_hidden_messages_do_not_count() -> None:
    conversation = talk(LONG, tokenLimit=2)
    conversation.execute(Clear())
    assert conversation.append("user", "abcdefgh").notices == ()
    assert conversation.append("user", "a").notices == (OverLimit(3, 2),)


def test_a_lower_limit_is_pointed_out_a_higher_one_is_not() -> None:
    conversation = five()
    assert conversation.execute(Configure(token_limit=3)).notices == (OverLimit(5, 3),)
    assert conversation.execute(Configure(token_limit=4)).notices == ()
    assert conversation.execute(Configure(profile="openai")).notices == ()
    assert conversation.execute(Configure(token_limit=2)).notices == (OverLimit(5, 2),)
    assert conversation.execute(Configure(token_limit=0)).notices == ()
    assert conversation.execute(Configure(token_limit=5)).notices == ()


OFFER = {"enabled": True, "threshold": 5, "targetTokens": 3}


def test_an_append_past_the_threshold_makes_an_offer_and_applies_nothing() -> None:
    conversation = five(compressionConfig=OFFER)
    assert conversation.notices() == ()
    result = conversation.append("user", "x")
    offered = Truncate(max_tokens=3, keep_system=True, keep_pairs=True)
    assert result.notices == (Offer(offered),)
    assert len(conversation.view) == 6
    assert result.notices[0].to_dict() == {
        "kind": "offer",
        "operation": {
            "operation": "TRUNCATE",
            "maxTokens": 3,
            "keepSystem": True,
            "keepPairs": True,
        },
    }
    assert conversation.notices() == result.notices


def test_only_an_append_and_only_an_enabled_config_makes_an_offer() -> None:
    conversation = five(compressionConfig=OFFER)
    inserted = {"operation": "INSERT", "position": 0, "messages": [LONG]}
    assert conversation.execute(inserted).notices == ()
    off = five(compressionConfig={**OFFER, "enabled": False})
    assert off.execute(Append(messages=[LONG])).notices == ()


def test_an_offer_that_is_taken_up_brings_the_tokens_down() -> None:
    conversation = five(tokenLimit=5, compressionConfig=OFFER)
    over, offer = conversation.append("user", "x").notices
    assert (over.kind, offer.kind) == ("overLimit", "offer")
    assert isinstance(offer, Offer)
    conversation.execute(offer.operation)
    assert conversation.tokens.total == 3
    assert conversation.notices() == ()


def test_a_list_collects_the_notices_of_its_steps() -> None:
    conversation = five(tokenLimit=5)
    result = conversation.execute(
        [Append(messages=[LONG]), Clear(), Append(messages=[LONG]), Clear()]
    )
    assert kinds(result.notices) == ["overLimit", "overLimit"]
    assert [kinds(step.notices) for step in result.steps] == [["overLimit"], [], ["overLimit"], []]
    assert conversation.notices() == ()


def worded() -> Conversation:
    """Return two messages of three and two words."""
    return talk(said("user", "one two three"), said("user", "four five"))


def test_another_counter_counts_everything_anew() -> None:
    with registered(Words()):
        conversation = worded()
        conversation.append("user", "six")
        assert conversation.tokens.total == 4 + 3 + 1
        result = conversation.execute(Configure(counter="words"))
        assert result.tokens.to_dict() == {"before": 6, "after": 6, "counter": "words"}
        assert conversation.tokens.to_dict() == {
            "total": 6,
            "counter": "words",
            "exact": True,
            "notCounted": 0,
        }
        assert conversation.append("user", "seven eight").tokens.to_dict() == {
            "before": 6,
            "after": 8,
            "counter": "words",
        }
        assert conversation.check() == []
        assert replayed(conversation) == conversation


def test_undoing_a_change_of_counter_counts_what_came_since() -> None:
    with registered(Words()):
        conversation = worded()
        conversation.execute([Configure(counter="words"), Append(messages=[said("user", "six")])])
        result = conversation.undo()
        assert result.tokens.to_dict() == {"before": 8, "after": 7, "counter": "bytes/4"}
        assert conversation.tokens.counter == "bytes/4"
        assert conversation.redo().tokens.after == 6
        assert conversation.check() == []
        assert replayed(conversation) == conversation


def test_earlier_revisions_are_read_in_the_counter_in_use() -> None:
    with registered(Words()):
        conversation = worded()
        conversation.execute(Delete(indices=[0]))
        conversation.execute(Configure(counter="words", token_limit=4))
        result = conversation.rollback(0)
        assert result.tokens.to_dict() == {"before": 2, "after": 5, "counter": "words"}
        assert conversation.notices() == (OverLimit(5, 4),)
        assert conversation.execute(Truncate(max_tokens=2)).tokens.after == 2
        assert conversation.check() == []


def test_a_change_of_counter_points_out_that_the_limit_is_passed() -> None:
    with registered(Words()):
        conversation = talk(said("user", "a b c d e f"), tokenLimit=4)
        assert conversation.notices() == ()
        assert conversation.execute(Configure(counter="words")).notices == (OverLimit(6, 4),)


def test_a_journal_is_replayed_without_the_counter_it_was_counted_with() -> None:
    with registered(Words()):
        conversation = Conversation([said("user", "a b")], {"counter": "words"})
        conversation.append("user", "c d e")
    again = replayed(conversation)
    assert again == conversation
    assert again.tokens.total == 5
    assert again.tokens.exact is False
    caught = refused(again, Append(messages=[LONG]))
    assert str(caught).startswith("counter 'words' is not known here; known are bytes/4")
    assert (caught.field, caught.value) == ("counter", "words")


def test_messages_are_counted_once() -> None:
    counted = []

    class Watching(Words):
        def count(self, message: Message) -> int:
            counted.append(message.text)
            return super().count(message)

    with registered(Watching()):
        conversation = Conversation([said("user", "a"), said("user", "b")], {"counter": "words"})
        conversation.append("user", "c")
        conversation.execute(Clear())
        conversation.rollback(0)
        conversation.execute(Configure(counter="bytes/4"))
        conversation.execute(Configure(counter="words"))
        assert counted == ["a", "b", "c"]


def test_a_counter_nobody_registered_is_refused() -> None:
    assert counter_named("bytes/4") is DEFAULT
    assert facts(refusal(lambda: counter_named("words")))[:2] == ("counter", "words")


def test_data_counts_by_its_texts_but_not_by_what_only_a_provider_can_read() -> None:
    picture = "iVBORw0KGgo" * 20
    data = {"kind": "plan", "steps": ["look", 2], "signature": "abc", "picture": picture}
    message = Message.from_dict(said("assistant", [{"type": "data", "data": data}]))
    assert message.search_text == "plan\nlook\n2"
    talk = Conversation([message])
    assert talk.tokens.to_dict() == {
        "total": 3,
        "counter": "bytes/4",
        "exact": False,
        "notCounted": 1,
    }
    plain = Message.from_dict(said("user", [{"type": "data", "data": {"kind": "plan"}}]))
    assert Conversation([plain]).tokens.not_counted == 0
