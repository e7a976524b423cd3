"""An interactive visual inspector for LLM conversation context."""

__version__ = "0.1.0"
