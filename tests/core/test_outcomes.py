"""Models are written and read again; what only tells how something turned out is written."""

from __future__ import annotations

from ctxtui.core import Batch, Conversation, Finding, Message, Result, Revision
from ctxtui.core.engine.diff import Comparison, Diff
from ctxtui.core.engine.journal import Record
from ctxtui.core.engine.operations import ALL
from ctxtui.core.engine.queries import (
    ArrayState,
    Blame,
    MarkMap,
    Offer,
    OverLimit,
    Snapshot,
    Stats,
    TokenTotal,
    UsageTotal,
)
from ctxtui.core.engine.settings import Settings
from ctxtui.core.scripts import StepReport
from ctxtui.core.what_if import Assessment, WhatIfOutcome


def test_models_are_written_and_read_outcomes_only_written() -> None:
    reports = (Result, Blame, OverLimit, Offer, Comparison, StepReport, WhatIfOutcome, Assessment)
    shapes = (MarkMap, Snapshot, Stats, ArrayState, Diff, TokenTotal, UsageTotal)
    outcomes = (*reports, *shapes, Finding, Batch, Revision)
    for model in (Message, *ALL, Settings, Record, Conversation):
        assert hasattr(model, "to_dict"), model
        assert hasattr(model, "from_dict"), model
    for outcome in outcomes:
        assert hasattr(outcome, "to_dict"), outcome
        assert not hasattr(outcome, "from_dict"), outcome
