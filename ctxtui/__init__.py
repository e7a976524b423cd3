"""An interactive visual inspector for LLM conversation context."""

from __future__ import annotations

__version__ = "0.1.0"
