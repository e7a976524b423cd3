"""What a run costs: tool definitions, summaries, what a cache really serves, and when it pays."""

from __future__ import annotations

from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.engine.tokens import count_definitions
from ctxtui.core.policies import Policy, PolicyFigures, Prices
from ctxtui.core.policies.costs import Payback, SummaryCall, payback
from ctxtui.core.policies.needed import RunUses
from ctxtui.core.policies.runs import SimulationConfig, run_of
from ctxtui.core.policies.simulation import run_policy
from tests.core.samples import refusal

Data = dict[str, Any]
IDLE: Data = {"when": {"messagesAbove": 999}, "do": [{"operation": "CLEAR"}]}
PRICES = Prices.read("input=3,cached=0.3,output=15")
TOOLS = [{"name": "sh", "description": "runs a command", "parameters": {"type": "object"}}]
MINUTE = 60_000


def talk(turns: int, words: int = 100, **settings: Any) -> Conversation:
    """Return a conversation in which each message has so many tokens."""
    text = "four" * words
    pair = [{"role": "user", "content": text}, {"role": "assistant", "content": text}]
    return Conversation(pair * turns, settings)


def asked(conversation: Conversation, prices: Prices | None = PRICES) -> SimulationConfig:
    return SimulationConfig.about(run_of(conversation), prices=prices)


def figures(
    conversation: Conversation, policy: Any, prices: Prices | None = PRICES
) -> PolicyFigures:
    return run_policy(asked(conversation, prices), Policy(policy)).figures


def called(*minutes: float, words: int = 2_000, model: str = "claude-sonnet-4") -> Conversation:
    """Return a conversation whose calls were made at some minutes."""
    made = Conversation((), {"profile": "anthropic"})
    for minute in minutes:
        made.append("user", "four" * words)
        made.record_call(model=model, time=int(minute * MINUTE))
        made.append("assistant", "four")
    return made


def test_tool_definitions_count_once_in_every_call() -> None:
    plain = talk(3)
    tools = Conversation([one.to_dict() for one in plain.log], meta={"tools": TOOLS})
    more = count_definitions(TOOLS, "bytes/4")
    before, after = figures(plain, IDLE), figures(tools, IDLE)
    assert more > 10
    assert [one.tokens - more for one in after.per_call] == [one.tokens for one in before.per_call]
    assert after.tokens_outside_prefix == before.tokens_outside_prefix + more, "sent anew only once"
    window = {"when": {"tokensAbove": 500}, "do": [{"operation": "TRUNCATE", "keepLast": 1}]}
    assert figures(tools, window).acted == figures(plain, window).acted == 0, "when leaves them out"


def test_other_tools_break_the_prefix() -> None:
    made = Conversation(())
    for tools in (TOOLS, TOOLS, [*TOOLS, {"name": "ls", "description": "", "parameters": {}}]):
        made.append("user", "four" * 9)
        made.record_call(tools=tools)
        made.append("assistant", "four")
    small = count_definitions(TOOLS, "bytes/4")
    assert [one.prefix_tokens for one in figures(made, IDLE).per_call] == [0, 9 + small, 0]


def summarising(**more: Any) -> Data:
    summary = {"role": "user", "template": "{count} gone", **more}
    do = {"operation": "COMPRESS", "select": {"exceptLast": 1}, "summary": summary}
    return {"when": {"messagesAbove": 4}, "do": [do]}


def test_a_summary_costs_what_it_reads_and_what_it_writes() -> None:
    short, long = figures(talk(4), summarising()), figures(talk(4), summarising(tokens=50))
    assert short.summaries == (SummaryCall(3, 400, 2),)
    assert long.summaries == (SummaryCall(3, 400, 50),)
    assert long.sums()["summaryCalls"] == 1
    sent, cached, answers = long.tokens_sent, long.tokens_cached, 4 * 100
    total = (sent - cached + 400) * 3 + cached * 0.3 + (answers + 50) * 15
    assert long.cost == pytest.approx(total / 1e6, abs=1e-6)


@pytest.mark.parametrize(
    ("do", "paid"),
    [
        ({"summary": {"role": "user", "content": "{count} gone"}}, 0),
        ({"summary": {"role": "user", "template": "they are gone"}}, 0),
        ({"summary": {"copyOf": {"roles": ["user"], "last": 1}}}, 0),
        ({"summary": {"template": "{count} hidden", "tokens": 0}}, 0),
        ({"summary": [{"template": "So:"}, {"template": "{count} gone"}]}, 1),
        ({"summary": [{"copyOf": {"last": 2}}, {"template": "{count} gone"}]}, 1),
        ({"each": "exchange", "summary": {"template": "{results}", "each": "{result}"}}, 0),
    ],
)
def test_only_what_a_model_would_write_is_paid(do: Data, paid: int) -> None:
    compress = {"operation": "COMPRESS", "select": {"exceptLast": 1}, **do}
    made = figures(talk(3), {"when": {"messagesAbove": 4}, "do": [compress]})
    assert made.summaries == (SummaryCall(3, 400, 2),) * paid, "neither copies nor fixed words"


def test_a_summary_that_was_not_good_enough_is_paid_too() -> None:
    strict = {**summarising(), "ensures": {"tokens": {"atMost": 1}}, "giveUp": 1}
    made = figures(talk(5), strict)
    assert (made.acted, made.summary_calls) == (0, 1)


def test_a_summary_of_one_request_is_paid_at_every_call() -> None:
    made = figures(talk(5), {**summarising(), "lasting": False})
    assert [(one.call, one.input) for one in made.summaries] == [(3, 400), (4, 600), (5, 800)]


def test_a_cache_forgets_after_the_lifetime_of_its_provider() -> None:
    made = figures(called(0, 4, 10, 14), IDLE)
    prefixes = [one.prefix_tokens for one in made.per_call]
    assert prefixes == [0, 2000, 4001, 6002]
    assert made.tokens_cached == prefixes[1] + prefixes[3], "six minutes passed before call 3"
    generic = called(0, 4, 10, 14)
    generic.execute({"operation": "CONFIGURE", "profile": "generic"})
    assert figures(generic, IDLE).tokens_cached == sum(prefixes), "its cache is not known"


def test_a_pace_stands_for_the_recorded_times() -> None:
    config = asked(called(0, 4, 10, 14))

    def cached(seconds: float) -> int:
        return run_policy(config.at_pace(seconds), Policy(IDLE)).figures.tokens_cached

    assert (cached(299), cached(301)) == (2000 + 4001 + 6002, 0)
    wrong = refusal(lambda: asked(talk(2)).at_pace(20))
    assert "what a cache of the generic profile keeps is not known" in str(wrong)
    assert wrong.legal == "profile anthropic or openai"


def test_a_cache_keeps_nothing_that_is_too_small() -> None:
    assert figures(called(0, 1, 2, words=400), IDLE).tokens_cached == 0
    assert figures(called(0, 1, 2, 3, words=400), IDLE).tokens_cached == 1202
    opus = called(0, 1, 2, 3, words=400, model="claude-opus-5")
    assert figures(opus, IDLE).tokens_cached == 801 + 1202


def test_what_is_put_into_a_cache_has_a_price_of_its_own() -> None:
    prices = Prices.read("input=3,cached=0.3,written=3.75,output=15")
    assert Prices.read(str(prices)) == prices
    made = figures(called(0, 1, 2, words=700), IDLE, prices)
    assert [one.tokens for one in made.per_call] == [700, 1401, 2102]
    assert made.tokens_written == 1401 + 701, "the first is too small for a cache"
    total = 700 * 3 + (1401 + 701) * 3.75 + 1401 * 0.3 + 3 * 1 * 15
    assert made.cost == pytest.approx(total / 1e6, abs=1e-6)
    assert sum(made.spent()) == pytest.approx(total - 45)


@pytest.mark.parametrize(
    ("first", "mine", "all_sent", "found"),
    [
        (None, [1, 2], [1, 2], None),
        (2, [1, 5, 1, 1, 1], [1, 2, 3, 4, 5], Payback(2, 3, 4)),
        (2, [1, 5, 1, 9, 1, 1], [1, 2, 3, 4, 5, 6], Payback(2, 5, 5)),
        (2, [1, 5, 2], [1, 2, 3], Payback(2, None, 2)),
        (2, [1, 2, 3], [1, 2, 3], Payback(2, None, 2)),
        (1, [1, 1], [2, 2], Payback(1, 1, 2)),
    ],
)
def test_a_policy_has_paid_once_it_is_cheaper_for_good(
    first: int | None, mine: list[float], all_sent: list[float], found: Payback | None
) -> None:
    assert payback(first, mine, all_sent) == found


def test_payback_is_told_with_the_estimates() -> None:
    def told(policy: Data, turns: int) -> Any:
        config = asked(talk(turns))
        return RunUses(config.run).judged(run_policy(config, Policy(policy))).to_dict()

    cut = {"when": {"tokensAbove": 1000}, "do": [{"operation": "TRUNCATE", "keepLast": 3}]}
    assert told(IDLE, 9)["payback"] is None
    assert told(cut, 9)["payback"] == {"first": 6, "after": 2, "calls": 4}, "900 + 690 < 870 + 930"
    assert told(cut, 6)["payback"] == {"first": 6, "after": None, "calls": 1}
    assert "payback" in told(cut, 6)["estimates"]
