"""Models are written and read again; what only tells how something turned out is written."""

from __future__ import annotations

from ctxtui.core import Batch, Conversation, Finding, Message, Result, Revision
from ctxtui.core.history.journal import Record
from ctxtui.core.operations import ALL
from ctxtui.core.queries.blame import Blame
from ctxtui.core.queries.comparison import Comparison
from ctxtui.core.queries.diff import Diff
from ctxtui.core.queries.notices import Offer, OverLimit
from ctxtui.core.queries.shapes import ArrayState, MarkMap, Snapshot, Stats
from ctxtui.core.queries.totals import TokenTotal, UsageTotal
from ctxtui.core.scripts import StepReport
from ctxtui.core.settings import Settings
from ctxtui.core.what_if import Assessment, Outcome


def test_models_are_written_and_read_outcomes_only_written() -> None:
    models = (Finding, Message, *ALL, Batch, Revision, Settings, MarkMap, Snapshot, Stats, Record)
    outcomes = (Result, Blame, OverLimit, Offer, Comparison, StepReport, Outcome, Assessment)
    for model in (*models, ArrayState, Diff, Conversation, TokenTotal, UsageTotal):
        assert hasattr(model, "to_dict"), model
        assert hasattr(model, "from_dict"), model
    for outcome in outcomes:
        assert hasattr(outcome, "to_dict"), outcome
        assert not hasattr(outcome, "from_dict"), outcome
