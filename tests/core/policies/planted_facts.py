"""Runs with planted facts: which answers use something that a window of messages has hidden.

Every run has facts of five kinds that one message states and a later answer uses, facts that are
stated again before they are used, decoys that merely look like facts, and much text that nobody
uses. What an answer was written from is known, so an estimate of it can be scored.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from ctxtui.core import Conversation

WORDS = (
    *("check", "order", "parcel", "window", "retry", "budget", "handle", "weight", "queue"),
    *("sender", "answer", "review", "table", "letter", "market", "morning", "planned", "simple"),
    *("careful", "number", "report", "value", "result", "server", "client"),
)
SOUNDS = ("ka", "lo", "mi", "ren", "tas", "vo", "zu", "bel", "dor", "fen", "gri", "hal")
WINDOW = 24


@dataclass(frozen=True)
class PlantedRun:
    """A conversation, and the calls whose answer needs what the last ``WINDOW`` messages lack."""

    conversation: Conversation
    needed: frozenset[int]


def planted_run(seed: int, exchanges: int = 90) -> PlantedRun:
    return _Planting(Random(seed), exchanges).run()


class _Planting:
    def __init__(self, random: Random, exchanges: int) -> None:
        self.random = random
        self.rows: list[dict[str, str]] = []
        self.exchanges = exchanges
        self.needed: set[int] = set()
        self.facts: list[tuple[str, str, list[int]]] = []

    def run(self) -> PlantedRun:
        for call in range(1, self.exchanges + 1):
            self.rows.append({"role": "user", "content": self._question()})
            text, sources = self._answer()
            if sources and max(sources) < len(self.rows) - WINDOW:
                self.needed.add(call)
            self.rows.append({"role": "assistant", "content": text})
        return PlantedRun(Conversation(self.rows), frozenset(self.needed))

    def _filler(self) -> str:
        words = self.random.choices(WORDS, k=self.random.randint(12, 30))
        return " ".join(words).capitalize() + "."

    def _name(self) -> str:
        return "".join(self.random.choices(SOUNDS, k=3))

    def _fact(self) -> tuple[str, str, str]:
        """Return a fact as it is stated, as it is used, and its kind."""
        name, number = self._name(), self.random.randint(1000, 99_999)
        return self.random.choice(
            [
                (
                    f"The key is in /srv/{name}/site.pem now.",
                    f"I read /srv/{name}/site.pem.",
                    "path",
                ),
                (f"It is called {name}_queue_id there.", f"I set {name}_queue_id again.", "id"),
                (f"The port is {number} on both.", f"I open port {number} now.", "number"),
                (f'The rule is "{name} before noon".', f'I keep "{name} before noon".', "quoted"),
                (f"We ask {name.title()} for that.", f"I write to {name.title()} now.", "name"),
            ]
        )

    def _question(self) -> str:
        text = self._filler()
        chance = self.random.random()
        if chance < 0.35:
            stated, used, _ = self._fact()
            self.facts.append((stated, used, [len(self.rows)]))
            text += " " + stated
        elif (
            chance < 0.5 and self.facts
        ):  # A decoy: it is said again, so the old place isn't needed.
            stated, _, places = self.random.choice(self.facts)
            places.append(len(self.rows))
            text += " " + stated
        elif chance < 0.6:  # A decoy: words like those of facts that no answer is written from.
            text += f" See test_{self.random.choice(WORDS)}s and step {self.random.randint(1, 99)}."
        return text

    def _answer(self) -> tuple[str, list[int]]:
        text = self._filler()
        chance = self.random.random()
        if chance < 0.3 and self.facts:
            _, used, places = self.random.choice(self.facts)
            sources = list(places)
            places.append(len(self.rows))  # The answer says it, so it is known from there too.
            return f"{text} {used}", sources
        if chance < 0.4:  # A decoy: a word that a model finds by itself, and that was said before.
            return f"{text} I run test_{self.random.choice(WORDS)}s.", []
        return text, []
