"""The compression config: what an offered TRUNCATE keeps, and files from before it could say so."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ctxtui.core import Configure, Conversation
from ctxtui.core.engine.queries import Offer
from tests.core.samples import Data, answer, call, five, refused, replayed, said, shown, talk

CONFIG = {"enabled": True, "threshold": 8, "targetTokens": 6}


def offered(conversation: Conversation) -> Data:
    """Return the TRUNCATE that the next message makes due."""
    conversation.append("user", "a rather long message, above the threshold")
    (offer,) = conversation.notices()
    assert isinstance(offer, Offer)
    return offer.operation.to_dict()


@pytest.mark.parametrize(
    ("config", "more"),
    [
        ({}, {"keepPairs": True}),
        ({"keepPairs": "extend"}, {"keepPairs": "extend"}),
        ({"keepPairs": False}, {"keepPairs": False}),
        ({"keepRoles": ["user"]}, {"keepPairs": True, "keepRoles": ["user"]}),
        (
            {"keepPairs": "drop", "keepRoles": ["tool", "user"], "keepMarks": ["gold"]},
            {"keepPairs": "drop", "keepRoles": ["tool", "user"], "keepMarks": ["gold"]},
        ),
    ],
    ids=str,
)
def test_the_offer_carries_what_the_config_keeps(config: Data, more: Data) -> None:
    conversation = five(compressionConfig={**CONFIG, **config})
    cut = {"operation": "TRUNCATE", "maxTokens": 6, "keepSystem": True, **more}
    assert offered(conversation) == cut
    assert replayed(conversation) == conversation


def test_an_offer_that_is_taken_up_keeps_marked_messages() -> None:
    conversation = five(compressionConfig={**CONFIG, "keepMarks": ["gold"]})
    conversation.execute({"operation": "MARK", "indices": [1], "label": "gold"})
    conversation.execute(offered(conversation))
    assert shown(conversation) == [0, 1]


def test_what_is_kept_can_be_configured_and_taken_back() -> None:
    conversation = five(compressionConfig={**CONFIG, "keepRoles": ["tool"]})
    conversation.execute(Configure(compression_config={"keepMarks": ["a"], "keepPairs": "drop"}))
    config = conversation.settings.to_dict()["compressionConfig"]
    kept = {"keepPairs": "drop", "keepRoles": ["tool"], "keepMarks": ["a"]}
    assert config == {**CONFIG, **kept}
    conversation.execute(Configure(compression_config={"keepRoles": None}))
    assert conversation.settings.compression_config.keep_roles is None
    assert replayed(conversation) == conversation
    conversation.undo()
    assert conversation.settings.to_dict()["compressionConfig"] == config


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"keepPairs": "keep"}, "keepPairs 'keep' is not one of drop, extend, true, false"),
        ({"keepRoles": ["robot"]}, "keepRoles 'robot' is not one of"),
        ({"keepRoles": []}, "keepRoles [] is empty"),
        ({"keepMarks": "gold"}, "keepMarks 'gold' is not a list of labels"),
    ],
    ids=str,
)
def test_bad_values_are_refused(config: Data, sentence: str) -> None:
    caught = refused(five(), {"operation": "CONFIGURE", "compressionConfig": config})
    assert str(caught).startswith(f"compressionConfig: {sentence}")


def record(operation: Data, time: int, *counts: int) -> Data:
    told: Data = {"operation": operation, "time": time, "counter": "bytes/4"}
    return {**told, "counts": list(counts), "resolved": []}


OLD_SETTINGS: Any = {
    "tokenLimit": 50,
    "compressionConfig": {"enabled": True, "threshold": 8, "targetTokens": 6},
    "toolDescription": None,
    "counter": "bytes/4",
    "profile": "generic",
}
OLD_COMPRESS = {"operation": "COMPRESS", "indices": [1], "summary": {"raw": [[3, 1]]}}
OLD_FILE: Data = {
    "format": "ctxtui",
    "version": 1,
    "messages": [said("user", "go"), call("c1"), answer("c1"), said("user", "a call")],
    "journal": [
        record(
            {
                "operation": "CREATE",
                "messages": {"raw": [[0, 3]]},
                "settings": OLD_SETTINGS,
                "meta": {},
            },
            1000,
            1,
            1,
            2,
        ),
        record({"operation": "BATCH_START", "boundary": 0}, 1001),
        {**record(OLD_COMPRESS, 1002, 2), "resolved": [[1]]},
        record({"operation": "CONFIGURE", "compressionConfig": {"threshold": 9}}, 1003),
    ],
}
"""What was written before a compression config could say what to keep."""


def test_a_file_from_before_opens_and_does_what_it_did() -> None:
    conversation = Conversation.from_dict(json.loads(json.dumps(OLD_FILE)))
    assert shown(conversation) == [0, 3, 2]
    compression = conversation.settings.compression_config
    assert (compression.keep_pairs, compression.keep_roles) == (True, None)
    assert conversation.check() == []
    assert Conversation.from_dict(conversation.to_dict()) == conversation
    assert replayed(conversation) == conversation


def test_a_conversation_made_as_before_equals_the_one_in_the_file() -> None:
    ticks = iter(range(1000, 2000))
    made = Conversation(
        [said("user", "go"), call("c1"), answer("c1")], OLD_SETTINGS, clock=lambda: next(ticks)
    )
    made.execute({"operation": "BATCH_START", "boundary": 0})
    made.execute({**OLD_COMPRESS, "summary": [said("user", "a call")]})
    made.execute({"operation": "CONFIGURE", "compressionConfig": {"threshold": 9}})
    assert made == Conversation.from_dict(OLD_FILE)


def test_the_default_keeps_pairs() -> None:
    conversation = talk(said("user", "go"), compressionConfig=CONFIG)
    assert offered(conversation)["keepPairs"] is True
