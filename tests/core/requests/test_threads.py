"""Threads: which conversation a request belongs to, and what is folded away beside it."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Refused
from ctxtui.core.formats.bodies import BodyReader
from ctxtui.core.requests.exchange import Exchange
from ctxtui.core.requests.recording import record_again
from ctxtui.core.requests.threads import Thread, ThreadTable, merged, renamed, split
from tests.core.requests.checking import Checked, checked, titles
from tests.core.requests.managers import Run, cleared, kept, windowed
from tests.core.requests.traffic import (
    RECORDINGS,
    Row,
    answer,
    called,
    chat,
    exchange_of,
    recorded,
    result,
    said,
)
from tests.profiles import examples

SYSTEM = said("system", "You keep the books of a small shop.")
ASKED = said("user", "How much did we sell in March, all in all?")
ANSWER = "All in all it was 1,204, most of it in the last week."
MORE = said("user", "And in April?")
LOOK: Row = {"type": "function", "function": {"name": "look", "parameters": {}}}


def threads(*exchanges: Exchange) -> list[int]:
    return [one.thread.id for one in checked(exchanges).recorded]


def roles(*exchanges: Exchange) -> list[str]:
    return [one.thread.role for one in checked(exchanges).recorded]


def told_by(*exchanges: Exchange) -> list[str]:
    return [one.by for one in checked(exchanges).recorded]


FIRST = chat(SYSTEM, ASKED, response=answer(ANSWER))
SECOND = chat(SYSTEM, ASKED, said("assistant", ANSWER), MORE)


class TestFinding:
    def test_what_goes_on_belongs_to_what_it_goes_on_from(self) -> None:
        assert threads(FIRST, SECOND) == [0, 0]

    def test_an_answer_tells_the_thread(self) -> None:
        other = chat(SYSTEM, ASKED, response=answer("It was nothing at all, we were closed."))
        assert threads(FIRST, other, SECOND) == [0, 1, 0]
        assert told_by(FIRST, other, SECOND)[-1] == "answer"

    def test_a_first_message_alone_tells_nothing(self) -> None:
        assert threads(FIRST, FIRST, FIRST) == [0, 1, 2]

    def test_without_answers_messages_tell(self) -> None:
        bare = chat(SYSTEM, ASKED), chat(SYSTEM, ASKED, said("assistant", "Much."), MORE)
        cut = chat(SYSTEM, MORE, said("assistant", "Less."), said("user", "Thank you both."))
        assert threads(*bare, cut) == [0, 0, 0]
        assert told_by(*bare, cut)[1:] == ["messages", "messages"]

    def test_ids_of_calls_tell_before_anything_else(self) -> None:
        asks = chat(SYSTEM, ASKED, response=answer(called("c1")))
        others = chat(said("user", "ho"), response=answer(called("c2")))
        goes_on = chat(SYSTEM, called("c1", '{"q":1}'), result("c1"))
        assert threads(asks, others, goes_on) == [0, 1, 0]
        assert told_by(asks, others, goes_on)[-1] == "tool ids"

    def test_kinds_are_never_mixed(self) -> None:
        body = {"model": "m", "messages": [ASKED, said("assistant", ANSWER), MORE]}
        assert threads(FIRST, Exchange(body, kind="messages")) == [0, 1]

    def test_a_response_that_is_named_tells_the_thread(self) -> None:
        def asks(text: str, **more: Any) -> Exchange:
            output = [said("assistant", f"About {text}.", type="message")]
            response = {"id": f"resp-{text}", "output": output}
            return Exchange({"model": "m", "input": text, **more}, response, "responses")

        exchanges = [
            *(asks("rivers"), asks("lakes")),
            asks("more", previous_response_id="resp-rivers"),
            asks("most", previous_response_id="resp-more"),
        ]
        found = checked(exchanges)
        assert [one.thread.id for one in found.recorded] == [0, 1, 0, 0]
        texts = [message.text for message in found.conversation().visible]
        assert texts == ["rivers", "About rivers.", "more", "About more.", "most"]

    def test_a_response_nobody_saw_is_told_by_what_was_sent(self) -> None:
        body = {"model": "m", "input": "hi", "previous_response_id": "resp-unknown"}
        assert threads(Exchange(body, kind="responses")) == [0]

    def test_an_answer_to_be_compared_with_tells_the_thread(self) -> None:
        answered = {"id": "msg_1", "content": [{"type": "text", "text": "yes"}]}
        first = Exchange({"messages": [ASKED]}, answered, "messages")
        body = {"messages": [MORE], "diagnostics": {"previous_message_id": "msg_1"}}
        assert threads(first, Exchange(body, kind="messages")) == [0, 0]

    def test_a_tag_keeps_word_identical_conversations_apart(self) -> None:
        pairs = [replace(one, tag=tag) for one in (FIRST, SECOND) for tag in ("a", "b")]
        assert threads(*pairs) == [0, 1, 0, 1]

    def test_sessions_and_their_agents_have_threads_of_their_own(self) -> None:
        def of(session: str, agent: str | None = None) -> Exchange:
            headers = {"x-claude-code-session-id": session}
            if agent:
                headers["x-claude-code-agent-id"] = agent
            return replace(FIRST, headers=headers)

        found = checked([of("s"), of("t"), of("s", "a"), of("s", "b")]).recorder.threads
        assert [(thread.role, thread.parent) for thread in found] == [
            ("main", None),
            ("main", None),
            ("agent", 0),
            ("agent", 0),
        ]

    def test_a_session_that_was_cleared_stays_in_its_thread(self) -> None:
        again = chat(SYSTEM, said("user", "Something else entirely."))
        tagged = [replace(one, tag="shop") for one in (FIRST, SECOND, again)]
        found = checked(tagged)
        assert [one.thread.id for one in found.recorded] == [0, 0, 0]
        assert found.operations()[-1] == "TRUNCATE APPEND"

    def test_a_summary_goes_on_in_the_thread_of_its_answer(self) -> None:
        summary = "They asked for March and April; March was 1,204, April is open."
        compact = chat(
            *(SYSTEM, ASKED, said("assistant", ANSWER)),
            said("user", f"{MORE['content']}\n\nSum up what was said so far."),
            response=answer(summary),
        )
        after = chat(SYSTEM, said("user", f"This goes on from earlier:\n{summary}\nGo on."))
        found = checked([FIRST, SECOND, compact, after])
        assert [one.thread.id for one in found.recorded] == [0, 0, 0, 0]
        assert found.operations()[2:] == ["REPLACE", "COMPRESS"]
        assert found.recorded[3].explanations[0].certainty == "proven"


class TestBeside:
    def test_a_title_is_asked_beside_the_conversation(self) -> None:
        main = chat(SYSTEM, ASKED, tools=[LOOK], response=answer(ANSWER))
        title = chat(said("system", "Name this conversation."), ASKED, response=answer("Sales"))
        assert roles(main, title) == ["main", "sideCalls"]

    def test_a_title_is_asked_beside_the_session_that_says_so(self) -> None:
        title = chat(said("system", "Is this a new topic?"), said("user", "Hm."))
        found = checked(replace(one, tag="shop") for one in (FIRST, title, SECOND))
        assert [one.thread.role for one in found.recorded] == ["main", "sideCalls", "main"]
        assert found.recorder.threads[1].parent == 0

    def test_a_title_that_was_asked_first_is_put_aside_later(self) -> None:
        title = chat(said("system", "Name this conversation."), ASKED, response=answer("Sales"))
        main = chat(SYSTEM, ASKED, tools=[LOOK], response=answer(ANSWER))
        found = checked([title, main]).recorder.threads
        assert [(thread.role, thread.parent) for thread in found] == [
            ("sideCalls", 1),
            ("main", None),
        ]

    def test_a_title_that_was_asked_first_is_told_by_a_count(self) -> None:
        title = chat(said("system", "Name this."), said("user", "Name it: sales in March"))
        count = replace(chat(SYSTEM, ASKED), path="/v1/messages/count_tokens")
        found = checked(replace(one, tag="shop") for one in (title, count, FIRST, SECOND))
        threads = [one.thread.id for one in found.recorded]
        assert threads[2] == threads[3] == found.recorder.threads[threads[1]].parent
        assert [found.recorder.threads[thread].role for thread in threads[:3]] == [
            "sideCalls",
            "counts",
            "main",
        ]
        assert [titles(one) for one in found.recorded[2:]] == ["START", "APPEND"]

    def test_a_title_that_was_asked_first_is_put_aside_once_another_goes_on(self) -> None:
        title = chat(said("system", "Name this."), said("user", "Name it: sales in March"))
        found = checked(replace(one, tag="shop") for one in (title, FIRST, SECOND))
        threads = found.recorder.threads
        assert [(thread.role, thread.parent) for thread in threads] == [
            ("sideCalls", 1),
            ("main", None),
        ]
        assert [one.thread.id for one in found.recorded] == [0, 1, 1]
        assert threads[1].name == "shop"
        assert titles(found.recorded[2]) == "APPEND"

    def test_what_only_looks_at_a_conversation_is_asked_beside_it(self) -> None:
        main = chat(SYSTEM, ASKED, tools=[LOOK], response=answer(ANSWER))
        looks = chat(
            *(said("system", "Judge this."), ASKED, said("assistant", ANSWER)),
            said("user", "Was that right?"),
        )
        assert roles(main, looks) == ["main", "sideCalls"]

    def test_counting_tokens_is_folded_away(self) -> None:
        count = replace(
            Exchange({"messages": [ASKED]}, {"input_tokens": 9}, "messages"),
            path="/v1/messages/count_tokens",
        )
        real = Exchange({"messages": [ASKED]}, kind="messages", path="/v1/messages")
        found = checked([count, real])
        assert [one.thread.role for one in found.recorded] == ["counts", "main"]
        assert found.recorded[0].thread.parent == found.recorded[1].thread.id

    @pytest.mark.parametrize(
        "failure",
        [
            {"outcome": "failed", "status": 529},
            {"outcome": "failed"},
            {"outcome": "cut", "status": 200},
        ],
        ids=["overloaded", "no answer", "cut"],
    )
    def test_attempts_that_came_to_nothing_are_folded_away(self, failure: Row) -> None:
        tried = replace(SECOND, response=None, **failure)
        found = checked([FIRST, tried, tried, SECOND])
        assert [one.thread.role for one in found.recorded] == [
            "main",
            "attempts",
            "attempts",
            "main",
        ]
        assert titles(found.recorded[2]) == "REPEAT"
        assert found.operations() == ["START", "APPEND"]
        assert found.conversation(1).calls.all[0].outcome == failure["outcome"]

    def test_a_first_attempt_that_came_to_nothing_has_a_thread_to_go_on_in(self) -> None:
        tried = replace(FIRST, response=None, outcome="failed")
        found = checked([tried, FIRST, SECOND])
        assert [one.thread.role for one in found.recorded] == ["attempts", "main", "main"]
        assert {one.thread.parent for one in found.recorded[:1]} == {found.recorded[1].thread.id}

    def test_what_a_provider_refused_is_part_of_the_conversation(self) -> None:
        refused = replace(SECOND, response={"error": {}}, outcome="failed", status=400)
        found = checked([FIRST, refused])
        assert [one.thread.role for one in found.recorded] == ["main", "main"]
        assert found.conversation().calls.all[1].outcome == "failed"

    def test_a_client_that_tries_again_after_an_answer_adds_nothing(self) -> None:
        again = replace(SECOND, headers={"x-stainless-retry-count": "1"})
        assert roles(FIRST, SECOND, again) == ["main", "main", "attempts"]


class TestAgents:
    PROMPT = "Find every place where the tax rate is written down."

    def test_an_agent_is_linked_to_the_call_that_holds_its_prompt(self) -> None:
        calls = called("c1", f'{{"task": "{self.PROMPT}"}}', name="agent")
        main = chat(SYSTEM, ASKED, response=answer(calls))
        agent = chat(said("system", "You search."), said("user", self.PROMPT))
        thread = checked([main, agent]).recorder.threads[1]
        assert (thread.role, thread.parent, thread.call) == ("agent", 0, "c1")

    def test_an_agent_is_linked_to_the_result_that_holds_its_answer(self) -> None:
        calls = called("c1", '{"task": 5}', name="agent")
        main = chat(SYSTEM, ASKED, response=answer(calls))
        found_it = "It is in rates.csv, line 12, and nowhere else."
        agent = chat(said("user", self.PROMPT), response=answer(found_it))
        back = chat(SYSTEM, ASKED, calls, result("c1", found_it))
        found = checked([main, agent, back])
        assert [one.thread.id for one in found.recorded] == [0, 1, 0]
        thread = found.recorder.threads[1]
        assert (thread.role, thread.parent, thread.call) == ("agent", 0, "c1")


CAREFUL = (kept, kept, windowed, cleared)


@given(st.integers(0, 2**32))
def test_conversations_at_once_are_kept_apart(seed: int) -> None:
    chance = Random(seed)
    runs = [Run(Random(chance.random()), name, managers=CAREFUL, is_plain=True) for name in "abcd"]
    found = Checked()
    owners: dict[int, str] = {}
    for _ in range(24):
        run = chance.choice(runs)
        thread = found.record(run.turn()).thread.id
        assert owners.setdefault(thread, run.name) == run.name
    assert len(owners) == len({run.name for run in runs if run.sent})
    found.finish()


@given(st.integers(0, 2**32))
@examples(0.1)
def test_tags_keep_recordings_apart_that_say_the_same(seed: int) -> None:
    chance = Random(seed)
    names = [name for name in RECORDINGS if recorded(name)[0]["kind"] == "chat"]
    runs = {
        name: [replace(exchange_of(one), tag=name) for one in recorded(name)][::-1]
        for name in names
    }
    found = Checked()
    while runs:
        name = chance.choice(sorted(runs))
        placed = found.record(runs[name].pop()).thread
        main = placed if placed.parent is None else found.recorder.threads[placed.parent]
        assert main.name == name
        if not runs[name]:
            del runs[name]
    found.finish()


class TestMending:
    TABLE = ThreadTable(
        (
            Thread(0, "one", "chat"),
            Thread(1, "two", "chat"),
            Thread(2, "side calls", "chat", "sideCalls", 1),
            Thread(3, "three", "messages"),
        ),
        (0, 1, 0, 2, 1, 3),
    )

    def test_a_thread_gets_another_name(self) -> None:
        assert renamed(self.TABLE, 1, " shop ").thread(1).name == "shop"
        assert self.TABLE.thread(1).name == "two"

    def test_threads_are_merged_with_what_stands_beside_them(self) -> None:
        table = merged(self.TABLE, 0, 1)
        assert table.placed == (0, 0, 0, 2, 0, 3)
        assert table.thread(2).parent == 0

    def test_a_thread_is_split_at_a_call(self) -> None:
        table = split(self.TABLE, 0, 1)
        assert table.placed == (0, 1, 4, 2, 1, 3)
        assert (table.thread(4).name, table.thread(4).kind) == ("one from call 2", "chat")

    @pytest.mark.parametrize(
        ("mend", "sentence"),
        [
            (lambda table: renamed(table, 9, "x"), "thread 9 is outside 0…3"),
            (lambda table: renamed(table, 0, "\n"), "name '\\n' is not one line of text"),
            (lambda table: merged(table, 0, 0), "thread 0 can't be merged into itself"),
            (
                lambda table: merged(table, 0, 3),
                "thread 3 is of the kind messages, thread 0 of chat;",
            ),
            (lambda table: split(table, 0, 2), "call 2 is outside 1…1"),
            (lambda table: split(table, 2, 1), "call 1 is outside no such call"),
        ],
    )
    def test_what_can_not_be_mended_is_refused(self, mend: Any, sentence: str) -> None:
        with pytest.raises(Refused) as refused:
            mend(self.TABLE)
        assert str(refused.value).startswith(sentence)

    def test_mended_threads_are_recorded_again(self) -> None:
        exchanges = [FIRST, replace(FIRST, response=None), SECOND]
        found = checked(exchanges)
        assert found.recorder.table.placed == (0, 1, 0)
        table = merged(found.recorder.table, 0, 1)
        again = record_again(BodyReader(), exchanges, table)
        talk = again.conversation(0)
        assert talk is not None
        assert len(talk.calls.all) == 3
        assert again.conversation(1) is None
