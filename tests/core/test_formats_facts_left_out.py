"""What a format leaves out of many conversations is told by name, the most usual first."""

from __future__ import annotations

from core.curation.writing import Summed
from core.formats.remarks import FACTS, names_in, without_details


def test_names_are_told_once_for_all_conversations() -> None:
    summed = Summed()
    for facts in ("title", "title, openai.model", "openai.model, title"):
        summed.add(f"{FACTS}: {facts}")
    summed.add("metadata are left out (messages 3, 4)")
    assert summed.sentences() == (
        f"{FACTS}: title, openai.model (3 conversations)",
        "metadata are left out (1 conversation)",
    )


def test_of_very_many_names_some_are_told_and_the_others_counted() -> None:
    summed = Summed()
    for number in range(10):
        summed.add(f"{FACTS}: title, fact{number}")
    told = ", ".join(["title", *(f"fact{number}" for number in range(7))])
    assert summed.sentences() == (f"{FACTS}: {told} and 3 more (10 conversations)",)


def test_names_end_before_places_and_before_what_was_only_counted() -> None:
    sentence = "keys are left out: a, b and 1,002 more (messages 1, 2)"
    assert names_in(sentence) == ["a", "b"]
    assert without_details(sentence) == "keys are left out"
    assert names_in("the history is left out (changes: 3, batches: 4)") == []
