"""Models are written and read again; what only tells how something turned out is written."""

from __future__ import annotations

from core import Batch, Conversation, Finding, Message, Result, Revision
from core.history.journal import Record
from core.operations import ALL
from core.queries.blame import Blame
from core.queries.comparison import Comparison
from core.queries.diff import Diff
from core.queries.notices import Offer, OverLimit
from core.queries.shapes import ArrayState, MarkMap, Snapshot, Stats
from core.queries.totals import TokenTotal, UsageTotal
from core.scripts import StepReport
from core.settings import Settings
from core.what_if import Assessment, Outcome


def test_models_are_written_and_read_outcomes_only_written() -> None:
    models = (Finding, Message, *ALL, Batch, Revision, Settings, MarkMap, Snapshot, Stats, Record)
    outcomes = (Result, Blame, OverLimit, Offer, Comparison, StepReport, Outcome, Assessment)
    for model in (*models, ArrayState, Diff, Conversation, TokenTotal, UsageTotal):
        assert hasattr(model, "to_dict"), model
        assert hasattr(model, "from_dict"), model
    for outcome in outcomes:
        assert hasattr(outcome, "to_dict"), outcome
        assert not hasattr(outcome, "from_dict"), outcome
