"""Recordings of real frameworks come out with the operations that their managers did."""

from itertools import pairwise

import pytest

from tests.core.requests.checking import Checked, checked
from tests.core.requests.traffic import RECORDINGS, exchange_of, recorded

GROWS = "APPEND"
CUT = "TRUNCATE APPEND"
SUMMED = "COMPRESS APPEND"
CLEARED = "REDACT APPEND"
SPLIT = "DELETE REPLACE APPEND"
ONLY_GROWING = ("lc_anthropic", "lc_plain", "lc_responses", "oa_chat", "oa_prevresp", "oa_resp")

LABELLED = {
    "ag_headtail": [GROWS, GROWS, *[SUMMED] * 6],
    "lc_clear": [*[GROWS] * 3, CLEARED, GROWS, GROWS, CLEARED, GROWS, GROWS, CLEARED],
    "lc_summarize": [GROWS, GROWS, SUMMED, GROWS, SUMMED, SUMMED, GROWS, SUMMED, SUMMED, GROWS],
    "lc_trim": [GROWS, GROWS, CUT, GROWS, CUT, CUT, GROWS, CUT, CUT, GROWS],
    "oa_chat_limit": [GROWS, SPLIT, CUT, GROWS, SPLIT, CUT, GROWS, SPLIT],
    "pa_keep": [GROWS, GROWS, *[CUT] * 6],
    "pa_redact": [GROWS, CLEARED, GROWS, GROWS, CLEARED, GROWS, GROWS, CLEARED],
    "pa_anthropic": [GROWS] * 8,
    **{name: [GROWS] * (len(recorded(name)) - 1) for name in ONLY_GROWING},
}
"""What explains each request of the main thread after the first, found by hand."""


def played(name: str) -> Checked:
    return checked(exchange_of(record) for record in recorded(name))


@pytest.mark.parametrize("name", RECORDINGS)
def test_each_request_is_explained_by_what_the_manager_did(name: str) -> None:
    assert played(name).operations() == ["START", *LABELLED[name]]


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recording_is_one_conversation_with_what_was_asked_beside_it(name: str) -> None:
    threads = played(name).recorder.threads
    assert [thread.role for thread in threads] == [
        "main",
        *["sideCalls"] * (name == "lc_summarize"),
    ]


def test_a_summary_is_proven_by_the_answer_it_holds() -> None:
    found = [one for one in played("lc_summarize").recorded if one.thread.id == 0]
    steps = [step for one in found for step in one.explanations if step.operation == "COMPRESS"]
    assert {step.certainty for step in steps} == {"proven"}
    assert steps[0].reason == (
        "raw 1–5 became one message, which holds the answer of call 1 of its side calls"
    )


def test_what_nobody_can_prove_is_likely() -> None:
    found = played("ag_headtail").recorded
    steps = [step for one in found for step in one.explanations if step.operation == "COMPRESS"]
    assert {step.certainty for step in steps} == {"likely"}
    assert steps[0].reason == "raw 2–5 were removed, and one message is in their place"


def test_results_that_were_cleared_are_proven_by_their_ids() -> None:
    found = played("lc_clear").recorded
    steps = [step for one in found for step in one.explanations if step.operation == "REDACT"]
    assert {step.certainty for step in steps} == {"proven"}
    assert steps[0].reason == "raw 3–4 now read '[cleared]'"


def test_the_oldest_are_cut_while_the_prompt_stays() -> None:
    found = played("lc_trim").recorded[3].operations[0]
    assert found.to_dict() == {"operation": "TRUNCATE", "removeFirst": 5, "keepSystem": True}


def test_what_only_an_id_names_is_added_from_the_answers() -> None:
    played_all = played("oa_prevresp")
    talk = played_all.conversation()
    assert [message.role for message in talk.visible] == [
        *("system", "user", "assistant", "tool", "tool"),
        *("assistant", "user", "assistant", "user", "assistant", "tool", "tool"),
        *("assistant", "user", "assistant", "user", "assistant", "tool", "tool"),
        *("assistant", "user"),
    ]
    assert talk.lint() == []


def test_a_call_without_tools_breaks_the_cache_at_its_beginning() -> None:
    found = played("ag_headtail").recorded
    assert [one.cache.cause for one in found[:4]] == [
        None,
        "tools vanished: the cache breaks at 0",
        "tools came: the cache breaks at 0",
        "message 2 changed: the cache breaks there",
    ]
    assert (found[1].cache.messages, found[1].cache.tokens) == (0, 0)


@pytest.mark.parametrize("name", ONLY_GROWING)
def test_what_only_grows_could_be_served_but_for_what_is_new(name: str) -> None:
    found = played(name).recorded
    for before, after in pairwise(found):
        assert after.cache.cause is None
        assert after.cache.tokens == before.cache.total


def test_what_a_provider_counted_is_kept_with_the_call() -> None:
    calls = played("lc_anthropic").conversation().calls.all
    assert calls[0].usage is not None
    assert calls[0].usage.to_dict() == {"input": 101, "cached": 51, "written": 30, "output": 7}
    assert [call.model for call in calls] == ["claude-x"] * 11
    assert len(played("lc_anthropic").conversation().calls.tools) == 1


@pytest.mark.parametrize("name", RECORDINGS)
def test_little_is_written_differently(name: str) -> None:
    for one in played(name).recorded:
        patches = one.facts.wire["rows"].values()
        edits = [edit for patch in patches for edit in patch if "order" not in edit]
        assert len(edits) <= 1
        assert all(edit["at"][-1] == "cache_control" for edit in edits)
