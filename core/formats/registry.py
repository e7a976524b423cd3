"""The list of all formats, and the ways to find the right one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..engine.messages import Message
from ..errors import Refused, not_one_of
from ..values.times import gc_paused
from .agent_memory import Letta, Smolagents
from .ai_sdk import AISDK
from .aider import Aider
from .alpaca import Alpaca
from .anthropic import Anthropic
from .atif import Atif
from .base import LEFT_OUT, Confidence, Format, JsonFormat, Layout, Loaded
from .bedrock import Bedrock
from .certainty import must_be_certain
from .chatgpt import ChatGPT
from .claude_code import ClaudeCode
from .cline import Cline
from .codex import Codex
from .conservation import Loss, RecordLedger, warning_of
from .copilot import Copilot
from .cursor import Cursor
from .data_rows import (
    TRL,
    Dolly,
    LlamaFactory,
    LlamaFactoryKTO,
    OpenAIEvals,
    OpenAIPreference,
    PromptCompletion,
    TRLImplicit,
    UltraFeedback,
)
from .detection import cached_detection, describe, detect_kind, sure_kind
from .fields import ROLES
from .foreign import INSTEAD, text_kind
from .gemini import Gemini
from .gemini_cli import GeminiCli
from .goose import Goose
from .hf import HuggingFace
from .inspect import Inspect
from .langchain import LangChain, LangGraph
from .markdown import Markdown
from .native import Native
from .oasst import OASST
from .openai import OpenAI
from .opencode import OpenCode
from .openhands import OpenHands
from .otel import Telemetry
from .pi import Pi
from .pydantic_ai import PydanticAI
from .qwen_code import QwenCode
from .request_logs import (
    LHAR,
    BedrockLog,
    ClaudeTap,
    HTTPRecording,
    Langfuse,
    LangSmith,
    LiteLLM,
    OpenAIBatch,
    StoredCompletions,
)
from .requests import Requests
from .responses import Responses
from .rollouts import ART, Tau2, Verifiers, VerifiersTraces
from .sharegpt import ShareGPT
from .source import Source, SourceSample
from .strands import Strands
from .swe_agent import SweAgent
from .tau_bench import TauBench

FORMATS: tuple[Format, ...] = (
    Native(),
    OpenAI(),
    LangChain(),
    LangGraph(),
    Inspect(),
    SweAgent(),
    TauBench(),
    Telemetry(),
    Anthropic(),
    Responses(),
    Requests(),
    ClaudeCode(),
    Codex(),
    GeminiCli(),
    Pi(),
    QwenCode(),
    Aider(),
    Cline(),
    Copilot(),
    Cursor(),
    Goose(),
    OpenHands(),
    Atif(),
    OpenCode(),
    Strands(),
    HuggingFace(),
    Gemini(),
    ChatGPT(),
    ShareGPT(),
    Alpaca(),
    TRL(),
    TRLImplicit(),
    LlamaFactory(),
    LlamaFactoryKTO(),
    OpenAIPreference(),
    UltraFeedback(),
    Dolly(),
    PromptCompletion(),
    OpenAIEvals(),
    Verifiers(),
    VerifiersTraces(),
    ART(),
    Tau2(),
    OASST(),
    LiteLLM(),
    LangSmith(),
    Langfuse(),
    OpenAIBatch(),
    StoredCompletions(),
    ClaudeTap(),
    LHAR(),
    HTTPRecording(),
    BedrockLog(),
    Bedrock(),
    PydanticAI(),
    AISDK(),
    Letta(),
    Smolagents(),
    Markdown(),
)
"""Every format; where two are as sure as each other, the first one reads."""

EACH = (Layout.LINES, Layout.LIST)
"""The layouts in which records are conversations."""

READABLE = tuple(known.name for known in FORMATS if known.reads)
WRITABLE = tuple(known.name for known in FORMATS if known.writes)
"""The names that can be chosen to read and to write."""


def format_named(name: str) -> Format:
    """Return a format by its name, or refuse the name."""
    for known in FORMATS:
        if known.name == name:
            return known
    raise not_one_of("format", name, (known.name for known in FORMATS))


def format_for(file: str) -> Format | None:
    """Return the format that a file's name chooses for writing, by its longest ending."""
    endings = [
        (len(suffix), known)
        for known in FORMATS
        for suffix in known.suffixes
        if known.writes and file.casefold().endswith(suffix)
    ]
    return max(endings, key=lambda ending: ending[0])[1] if endings else None


def detect(source: Source) -> Format:
    """Return the format that is surest of some data, or refuse it with what it looks like.

    What another program is sure to have written is refused by its name. What several formats
    would read as different messages is refused, and so is what is mostly unknown to the one that
    would read it: who knows better can name the format.
    """
    return judged(source.sample)[0]


def judged(sample: SourceSample) -> tuple[Format, Confidence, str]:
    """Return the format of some data, how sure that is, and why; or refuse the data."""
    reading = [known for known in FORMATS if known.reads]
    if sample.text is not None:
        return _judged_text(sample, reading)
    with cached_detection(), gc_paused():
        kind = sure_kind(sample.data)
        if kind in INSTEAD:
            raise _foreign(kind, INSTEAD[kind], sample)
        sure = [(known.confidence(sample), known) for known in reading]
        best = max(one for one, _ in sure)
        if best is Confidence.NO:
            raise _unknown(sample)
        first, *others = [known for one, known in sure if one is best]
        if best is not Confidence.CERTAIN:
            must_be_certain(first, others, sample)
        why = kind or detect_kind(sample.data)
    return first, best, f"it has what only {why} has" if why else f"it can be {first.about}"


def _judged_text(sample: SourceSample, reading: Sequence[Format]) -> tuple[Format, Confidence, str]:
    assert sample.text is not None
    for known in reading:
        if best := known.confidence(sample):
            return known, best, f"it begins as {known.about} does"
    if (found := text_kind(sample.text)) is not None:
        raise _foreign(*found, sample)
    assert sample.refusal is not None
    raise sample.refusal


def load_all(source: Source, name: str | None = None) -> Iterator[Loaded]:
    """Yield every conversation of a source, read in a named format or in the one detected.

    What is wrong with the source as a whole is in its ``warnings`` afterwards.
    """
    known = detect(source) if name is None else format_named(name)
    if name is not None and not known.text_sign and source.sample.refusal is not None:
        raise source.sample.refusal
    found = False
    for loaded in _conserved(known, source):
        found = True
        yield loaded
    if not found:
        raise Refused(f"there is no conversation in it that {known.name} can read", field="format")


def _conserved(known: Format, source: Source) -> Iterator[Loaded]:
    """Yield what a format reads, each with a warning about the text of the file that it lacks.

    Where a conversation is made of one record, that is known at once. Else it is known when the
    format asks for more records, or there are none: several may be made of the same.
    """
    ledger = source.ledger = RecordLedger(source.again)
    held: list[Loaded] = []
    conversations = known.read(source)
    try:
        while True:
            with gc_paused():
                loaded = next(conversations, None)
                if loaded is None:
                    break
                is_apart = isinstance(known, JsonFormat) and loaded.layout in EACH
                if is_apart and (losses := ledger.settle_last(loaded.conversation)):
                    loaded = _with_warning(loaded, losses, source)
            if is_apart:
                yield loaded
                continue
            if ledger.is_further:
                ready, held = _with_losses(held, ledger, source), []
                yield from ready
            held.append(loaded)
            ledger.close()
    except Refused:
        yield from _with_losses(held, ledger, source)
        raise
    finally:
        source.ledger = None
    yield from _with_losses(held, ledger, source)
    for record in ledger.without_conversation():
        source.leave_out(LEFT_OUT, record)


def _with_losses(some: Sequence[Loaded], ledger: RecordLedger, source: Source) -> list[Loaded]:
    """Return conversations that were made of the same records, with what they lack of these."""
    if not some:
        return []
    with gc_paused():
        losses = ledger.settle([one.conversation for one in some])
    return [
        _with_warning(one, found, source) if found else one
        for one, found in zip(some, losses, strict=True)
    ]


def _with_warning(loaded: Loaded, losses: Sequence[Loss], source: Source) -> Loaded:
    warning = warning_of(losses, source.collector.noun)
    return replace(loaded, warnings=(*loaded.warnings, warning))


def load(data: object, name: str | None = None) -> Loaded:
    """Return the first conversation of a source or of parsed JSON."""
    source = data if isinstance(data, Source) else Source.of_data(data)
    return next(load_all(source, name))


def messages_of(data: object, name: str) -> Sequence[Message]:
    """Return the messages of parsed JSON in a named format: one that a provider gave, or a list."""
    rows = data if isinstance(data, list) else [data]
    return load(rows, name).conversation.log


def _foreign(kind: str, instead: str, sample: SourceSample) -> Refused:
    """Return the refusal of what another program writes, which has no conversation to read."""
    give = f"; give {instead}" if instead else ""
    return Refused(
        f"this looks like {kind}, which ctxtui can't read{give}",
        field="format",
        value=sample.data,
        legal=instead or ", ".join(READABLE),
    )


def _unknown(sample: SourceSample) -> Refused:
    """Return the refusal of what no format reads: what was seen, and which formats there are."""
    data = sample.data
    in_lines = " (JSONL, a value in each line)" if sample.is_lines else ""
    kind = detect_kind(data)
    readable = f"ctxtui reads {len(READABLE)} formats, which ctxtui export --help lists"
    if kind is not None:
        is_read = any(kind in known.kinds for known in FORMATS)
        why = ", but has not what these must have" if is_read else "; ctxtui can't read that yet"
        sentence = f"this looks like {kind}{in_lines}{why}; {readable}"
    else:
        seen = describe(data) if not sample.is_lines else describe(data[0])
        sentence = f"{seen}{in_lines} is in no known format; {readable}{_why_not(data)}"
    return Refused(sentence, field="format", value=data, legal=", ".join(READABLE))


def _why_not(data: object) -> str:
    """Return what keeps data that seems to have messages from being a chat."""
    match data:
        case {"messages": _} | [{"role": _}, *_]:
            try:
                OpenAI().read_one(data)
            except Refused as refusal:
                return f"; {refusal}"
            return f"; no message has a role that is known: {', '.join(ROLES)}"
    return ""
