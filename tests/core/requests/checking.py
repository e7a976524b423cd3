"""The promises of recording, checked after every request and at the end."""

from collections.abc import Iterable

from ctxtui.core import Conversation
from ctxtui.core.formats.bodies import BodyReader, rewritten
from ctxtui.core.requests.bodies import loose_key
from ctxtui.core.requests.exchange import Exchange
from ctxtui.core.requests.recording import Recorded, Recorder
from ctxtui.core.values.frozen import same_json


class Checked:
    """A recorder that is checked after each exchange."""

    def __init__(self) -> None:
        self.recorder = Recorder(BodyReader(), clock=lambda: 1_000)
        self.recorded: list[Recorded] = []
        self._given: list[Exchange] = []

    def record(self, exchange: Exchange) -> Recorded:
        """Record an exchange; what is visible in its thread then is what was sent."""
        found = self.recorder.record(exchange)
        conversation = self.conversation(found.thread.id)
        assert conversation.current.id == found.revision
        if not found.facts.wire.get("carried"):
            sent = BodyReader().parse_request(exchange).sent
            assert [loose_key(one) for one in conversation.visible] == [one.loose for one in sent]
        assert len(conversation.calls.all) == found.call + 1
        self.recorded.append(found)
        self._given.append(exchange)
        return found

    def conversation(self, thread: int = 0) -> Conversation:
        """Return the conversation of a thread."""
        found = self.recorder.conversation(thread)
        assert found is not None
        return found

    def operations(self, thread: int = 0) -> list[str]:
        """Return what explains each request of a thread."""
        return [titles(one) for one in self.recorded if one.thread.id == thread]

    def finish(self) -> None:
        """Check that every conversation is sound and gives back the bodies it was made of."""
        threads = {one.thread.id for one in self.recorded}
        for thread in threads:
            conversation = self.conversation(thread)
            assert conversation.check() == []
            given = [
                exchange.request
                for one, exchange in zip(self.recorded, self._given, strict=True)
                if one.thread.id == thread
            ]
            bodies = [one.body for one in rewritten(conversation)]
            assert len(bodies) == len(given)
            for body, request in zip(bodies, given, strict=True):
                assert same_json(body, dict(request)), (body, request)


def titles(recorded: Recorded) -> str:
    """Return the names of the operations that explain a request."""
    return " ".join(one.operation for one in recorded.explanations)


def checked(exchanges: Iterable[Exchange]) -> Checked:
    """Return a recorder that was checked with all of some exchanges."""
    found = Checked()
    for exchange in exchanges:
        found.record(exchange)
    found.finish()
    return found
