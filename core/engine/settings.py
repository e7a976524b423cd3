"""Settings of a conversation: limits, compression, tool description, counter and profile."""

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from ..errors import Refused, format_value
from ..values.models import (
    Checked,
    Count,
    Flag,
    KeepPairs,
    Labels,
    Model,
    Roles,
    Text,
    nested,
    one_of,
    plain,
    read_count,
    read_text,
    to_camel,
)
from .tokens import DEFAULT

PROFILES = ("generic", "openai", "anthropic", "gemini", "strict-template", "fine-tuning")


def read_limit(value: object, field: str) -> int | None:
    """Return a limit in tokens; 0 and null mean no limit."""
    return None if value is None else read_count(value, field) or None


def read_description(value: object, field: str) -> str | None:
    """Return a tool description, or None."""
    return None if value is None else read_text(value, field)


class CompressionFields(Model):
    """Some of the fields of a compression config, as CONFIGURE may give them."""

    title = "compressionConfig"
    null_counts = True
    enabled: Flag = False
    threshold: Count | None = None
    target_tokens: Count | None = None
    keep_pairs: KeepPairs = Field(default=True, description="What is offered splits no tool pair")
    keep_roles: Roles | None = Field(default=None, description="Roles it would not touch")
    keep_marks: Labels | None = Field(default=None, description="Marked messages it leaves alone")


class Compression(CompressionFields):
    """When to offer a TRUNCATE, and to how many tokens; nothing is cut automatically."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.threshold is not None and (self.target_tokens or 0) > self.threshold:
            raise Refused(
                f"targetTokens {format_value(self.target_tokens)} is above "
                f"the threshold {format_value(self.threshold)}",
                field="targetTokens",
                value=self.target_tokens,
                legal=f"0…{format_value(self.threshold)}",
            )
        if self.enabled and (self.threshold is None or self.target_tokens is None):
            raise Refused(
                "compressionConfig is enabled without a threshold and targetTokens",
                field="enabled",
                value=True,
                legal="threshold and targetTokens with it",
            )
        return self


class Settings(Model):
    """Everything about a conversation that can be configured, and undone."""

    title = "settings"
    token_limit: Annotated[int | None, Checked(read_limit)] = Field(
        default=None, description="Tokens a model takes; 0 for no limit"
    )
    compression_config: Annotated[Compression, nested(Compression)] = Field(
        default=Compression(), description="When to offer a TRUNCATE"
    )
    tool_description: Annotated[str | None, Checked(read_description)] = Field(
        default=None,
        description="System message that CLEAR, or BATCH_START with initialTools, puts in sight",
    )
    counter: Text = Field(default=DEFAULT.name, description="How tokens are counted")
    profile: Annotated[str, one_of(*PROFILES)] = Field(
        default="generic", description="Whose rules lint applies"
    )

    @model_validator(mode="after")
    def _within_limit(self) -> Self:
        compression = self.compression_config
        for name, value in (
            ("threshold", compression.threshold),
            ("targetTokens", compression.target_tokens),
        ):
            if self.token_limit is not None and value is not None and value > self.token_limit:
                raise Refused(
                    f"{name} {format_value(value)} is above the tokenLimit "
                    f"{format_value(self.token_limit)}",
                    field=name,
                    value=value,
                    legal=f"0…{format_value(self.token_limit)}",
                )
        return self

    def changed(self, news: dict[str, Any]) -> "Settings":
        """Return these settings with new values in their place, or themselves if all are old."""
        given = news.get("compression_config")
        if given is not None:
            theirs = {name: getattr(given, name) for name in given.model_fields_set}
            compression = Compression(**dict(self.compression_config) | theirs)
            news = {**news, "compression_config": compression}
        if all(getattr(self, name) == value for name, value in news.items()):
            return self
        return Settings(**dict(self) | news)

    def to_dict(self) -> dict[str, Any]:
        """Return all settings, given or not, as JSON-ready data."""
        compression = {to_camel(name): plain(value) for name, value in self.compression_config}
        return {to_camel(name): value for name, value in self} | {"compressionConfig": compression}
