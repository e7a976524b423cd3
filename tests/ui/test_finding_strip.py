"""The strip above a broken message: what is wrong, why, and only the keys that mend it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from rich.cells import cell_len

from core import Conversation
from ctxtui.commands import KEYS_OF_REPAIRS
from ctxtui.models.causes import helping
from ctxtui.models.look import Look
from ctxtui.render.message.strip import finding_strip
from ctxtui.render.text.lines import ON, Line
from ctxtui.widgets.inked import KINDS, TINTS
from tests.core.exchanges import answer, call
from tests.core.strategies import conversations

ASK = {"role": "user", "content": "Go on."}


def text(lines: list[Line]) -> str:
    return "\n".join("".join(piece.text for piece in line).rstrip() for line in lines)


def keys(lines: list[Line]) -> set[str]:
    return {piece.text for line in lines for piece in line if piece.kind.startswith(f"key{ON}")}
