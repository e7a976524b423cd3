"""The culprit: the first batch of the path with an error, without a message, or too large."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ctxtui.core import Batch, Conversation, Refused
from ctxtui.core.bisect import first_above, first_error, first_without, rules_of
from ctxtui.core.lint import RULES
from ctxtui.core.values.models import read_choice
from ctxtui.core.values.numbers import read_integer
from ctxtui.models.told import Told, done, note
from ctxtui.progress import Watch

HINT = f"error, a rule such as {RULES[0].id}, gone (this message), or a number of tokens"
GONE = "gone"
ANY_ERROR = ("error", "errors", "lint")

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Culprit:
    """What is looked for: in words, and as a search that may take a while."""

    what: str
    _find: Callable[[Progress], int | None]
    _path: tuple[Batch, ...]

    def find(self, watch: Watch) -> Batch | None:
        """Return the first batch in which it is so, or None."""
        number = self._find(lambda done, count: watch.step(done / count))
        return None if number is None or number >= len(self._path) else self._path[number]

    def told(self, batch: Batch | None) -> Told:
        """Return what was found, in a sentence."""
        if batch is None:
            return note(f"No batch of the path is {self.what}")
        name = "START" if batch.operation is None else batch.operation.title
        return done(f"Batch {batch.number} {name} is the first {self.what}", "", ("esc", "returns"))


def read_culprit(conversation: Conversation, raw: int | None, text: str) -> Culprit:
    """Return what a user looks for, or refuse it; ``raw`` is the message under the cursor."""
    wanted, path = text.strip().casefold(), tuple(conversation.path)
    if wanted == GONE:
        if raw is None:
            raise Refused("there is no message under the cursor that could be gone", field=GONE)
        here = raw
        return Culprit(f"without raw {here}", lambda _: first_without(conversation, here), path)
    if wanted[:1].isdigit():
        most = read_integer(wanted, "tokens")
        return Culprit(
            f"above {most:,} tokens", lambda tell: first_above(conversation, most, tell), path
        )
    if wanted in ANY_ERROR:
        return Culprit("with an error", lambda tell: first_error(conversation, progress=tell), path)
    rule = read_choice(wanted.upper(), "rule", rules_of(conversation.settings.profile))
    return Culprit(
        f"with {rule}", lambda tell: first_error(conversation, rule, progress=tell), path
    )
