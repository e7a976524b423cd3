"""Warnings of reading a file, in words: what people see of the data that a session stores."""

from __future__ import annotations

from collections.abc import Iterable

from ctxtui.core.errors import Refused
from ctxtui.core.formats.warnings import FormatWarning, read_warnings, sentences
from ctxtui.core.values.frozen import thaw


def warning_words(stored: object) -> tuple[str, ...]:
    """Return a sentence for each stored warning; what is no list of warnings has none."""
    try:
        return sentences(read_warnings(thaw(stored)))
    except Refused:
        return ()


def words_of(warnings: Iterable[FormatWarning]) -> tuple[str, ...]:
    """Return a sentence for each warning."""
    return sentences(warnings)
