"""Whatever a manager does: what is visible is what was sent, and can be written again."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation
from ctxtui.core.formats.bodies import BodyReader, rewritten
from ctxtui.core.requests.bodies import loose_key
from ctxtui.core.requests.recording import record_again
from ctxtui.core.requests.threads import Thread, ThreadTable
from ctxtui.core.values.frozen import same_json
from tests.core.requests.checking import checked
from tests.core.requests.managers import Run
from tests.profiles import examples

SEEDS = st.integers(0, 2**32)


@given(SEEDS)
@examples(2)
def test_any_manager_is_explained_wherever_its_requests_belong(seed: int) -> None:
    run = Run(Random(seed))
    checked(run.turn() for _ in range(12))


@given(SEEDS)
@examples(2)
def test_any_manager_is_explained_in_one_thread(seed: int) -> None:
    run = Run(Random(seed))
    exchanges = [run.turn() for _ in range(14)]
    table = ThreadTable((Thread(0, "all", "chat"),), (0,) * len(exchanges))
    recorder = record_again(BodyReader(), exchanges, table, clock=lambda: 1)
    talk = recorder.conversation(0)
    assert talk is not None
    assert talk.check() == []
    for exchange, (call, body, *_) in zip(exchanges, rewritten(talk), strict=True):
        assert same_json(body, dict(exchange.request))
        visible = talk.at(call.revision).visible
        sent = BodyReader().parse_request(exchange).sent
        assert [loose_key(one) for one in visible] == [one.loose for one in sent]
    assert Conversation.from_dict(talk.to_dict()) == talk


@given(SEEDS)
def test_nothing_is_explained_by_giving_up(seed: int) -> None:
    run = Run(Random(seed))
    found = checked(run.turn() for _ in range(12))
    reasons = [step.reason for one in found.recorded for step in one.explanations]
    assert not any("could not be explained" in reason for reason in reasons)
