"""Rows: one line of the list of sessions, with all that is known beside it."""

from __future__ import annotations

from typing import NamedTuple

from core.curation.alike import Alike
from core.curation.digest import Digest
from core.storage.entries import Entry


class Row(NamedTuple):
    """A session as a list shows it; without a digest, nothing more is known of it yet."""

    entry: Entry
    digest: Digest | None = None
    alike: Alike | None = None
