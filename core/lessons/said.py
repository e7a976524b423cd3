"""What a lesson says, in the languages it says it in."""

from __future__ import annotations

from typing import Annotated, ClassVar

from ..values.models import Model, Text, nested

LANGUAGES = ("en", "zh")
"""The languages of the lessons that come with ctxtui, the one that every lesson has first."""


class Said(Model):
    """A text in English, and in Chinese where there is one."""

    title: ClassVar[str] = "text"
    en: Text
    zh: Text | None = None

    def to(self, language: str) -> str:
        """Return the text in a language, or in English where it is not there."""
        return (self.zh or self.en) if language == "zh" else self.en


Words = Annotated[Said, nested(Said)]
"""A field that holds a text in several languages."""
