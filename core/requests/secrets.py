"""Secrets: what is stored of a call, and what is removed from it first.

What a person or a model said is stored as it was sent. Everything else is stored only under names
that are known to be harmless, in the shape that values have there: see ``CONTEXTS``. A value that
was removed is removed everywhere in the call, in every common encoding.

``SecretCleaner`` works on one call; a ``SecretMemory`` carries the credentials of earlier calls.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from threading import Lock
from typing import Any, Literal, NamedTuple
from urllib.parse import parse_qsl, quote, unquote, unquote_plus, urlencode, urlsplit, urlunsplit

import orjson

from ..values.frozen import DEEPEST
from .exchange import Exchange, RemovedSecrets

REMOVED = "[removed]"
MAX_SECRETS = 64
"""Values of earlier calls that are looked for in later ones; the newest are remembered."""
LONG = 12
"""Characters from which on a value of a header, query or path is looked for elsewhere."""
SHORTEST, LONGEST_WORD = 8, 16
"""Characters from which on parts of secrets in bodies are, and from which on plain words are."""
LONGEST_ID, LONGEST_TEXT = 512, 2_000


# The table of names

SecretShape = Literal["said", "word", "id", "url"]
"""What a text may be: anything, plain words and numbers, an identifier, or an address."""
Context = str
SecretRule = tuple[SecretShape, Context | None]
"""The shape of texts under a name, and the context of objects; None is kept as a whole."""


def _rules(
    base: Mapping[str, SecretRule] | None = None,
    /,
    said: str = "",
    word: str = "",
    id: str = "",
    url: str = "",
    **inside: str,
) -> dict[str, SecretRule]:
    """Return the rules of a base and more, by name; of what is not given the base's holds.

    ``inside`` is the context of objects, which is "fields" otherwise; ``ALL`` is kept as a whole.
    """
    rules = dict(base or {})
    shapes: dict[SecretShape, str] = {"said": said, "word": word, "id": id, "url": url}
    for shape, names in shapes.items():
        for name in names.split():
            rules[name] = (shape, rules.get(name, PLAIN)[1])
    for context, names in inside.items():
        for name in names.split():
            rules[name] = (rules.get(name, PLAIN)[0], None if context == "ALL" else context)
    return rules


PLAIN: SecretRule = ("word", "fields")

FOUND: SecretRule = ("said", "found")
SCHEMA: SecretRule = ("word", "schema")
VALUE: SecretRule = ("word", "values")
NO_RULES: Mapping[str, SecretRule] = {}

FIELDS = _rules(
    word="""
        name type object role status mode kind title display_name version language region city
        country timezone format detail effort verbosity summary generate_summary ttl scope tier
        service_tier truncation quality size background modalities response_modalities voice
        voice_name language_code search_context_size search_context_length output_format
        input_fidelity moderation strategy threshold category categories probability severity
        method block_reason safety_filter reason finish_reason stop_reason native_finish_reason
        stop_details include exclude ignore only order sort quantizations data_collection route
        transforms engine engines models fallbacks domain domains allowed_domains blocked_domains
        allowed_hosts tags response_mime_type mime_type media_type media_resolution thinking_level
        granularity aspect_ratio image_size resolution function_call tool_choice
        allowed_function_names allowed_tools tool_names exclude_tools response_inclusion
        prompt_cache_retention inference_geo speed prompt_mode reasoning_format reasoning_effort
        reasoning_mode search_mode search_recency_filter search_domain_filter connector
        provider_name guardrail_version guardrail_identifier trace latency keep_alive
        created_at updated_at expires_at started_at completed_at create_time timestamp time date
        model_type service provider backend billing phase outcome ranker operator
        traffic_type modality
        matched_stop done_reason error_code approximate token_type attention_backend
        guided_decoding_backend clear_at prefix_mismatch_behavior truncate input_type encoding
        encoding_format personality
        search_content_types comparison filter env_name require_approval always never
        tool_choice_mode event purpose source trigger keep clear_at_least order_by direction
        allowed_callers mcp_server_name server_name
    """,
    id="""
        id user user_id session_id conversation_id thread_id request_id run_id trace_id
        response_id message_id event_id parent_id agent_id item_id file_id file_ids tool_use_id
        tool_call_id call_id previous_response_id previous_message_id comparison_response_id
        prompt_cache_key safety_identifier device_id account_uuid vector_store_id
        vector_store_ids container_id skill_id batch_id job_id model model_id model_version
        system_fingerprint cached_content conversation container connector_id data_store
        memory_store_id deployment_id engine_id fallback_model
    """,
    url="url uri server_url file_uri file_url image_url base_url api_base endpoint",
    said="""
        guided_regex guided_grammar guided_choice guided_whitespace_pattern template
        stop stop_sequences bad_words
    """,
    schema="""
        schema response_schema response_json_schema guided_json json_schema_definition
        _response_json_schema
    """,
    filters="filters",
    tools="tools functions",
)
"""Names that are harmless wherever they are."""

CALLS = _rules(
    FIELDS,
    id="name id",
    said="arguments args input response output partial_args thought_signature",
    ALL="arguments args input response output partial_args",
    calls="function custom",
    parts="parts extra_content google",
)
"""Calls of tools in messages, and Gemini's results."""

MESSAGES = _rules(
    FIELDS,
    said="""
        content refusal reasoning reasoning_content reasoning_text thinking images tool_plan
        output_text transcript
    """,
    word="tool_name channel recipient",
    id="id tool_call_id tool_use_id",
    calls="tool_calls function_call",
    parts="""
        content parts annotations reasoning_details thinking_blocks images citations audio
        provider_specific_fields refusal reasoning thinking documents
    """,
)
"""Rows of a conversation."""

PARTS = _rules(
    MESSAGES,
    said="""
        text input output summary arguments result results context cited_text json code stdout
        stderr logs outputs queries query action operation patch diff error message data signature
        encrypted_content encrypted_index encrypted_stdout thought_signature thought_signatures
        file_data bytes image_base64 b64_json transcript filename title document_title
        explanation page_age error_message old_str new_str insert_text file_text lines new_content
        pending_safety_checks acknowledged_safety_checks rendered_content variables definition
        search_results revised_prompt
    """,
    word="language server_label caller namespace start_offset end_offset",
    id="name approval_request_id tool_id caller_id",
    url="url uri image_url file_url file_uri video_url audio_url",
    ALL="""
        input output arguments result results action operation pending_safety_checks
        acknowledged_safety_checks logprobs search_results queries search_entry_point bytes
        outputs logs
    """,
    calls="function_call function_response tool_calls tool_call tool_response tool_use",
    parts="""
        inline_data file_data source image_url video_url audio_url input_audio audio document image
        video text summary context executable_code code_execution_result file citation caller
        json tool_result search_result url_citation file_citation annotations citations content
        thinking reasoning reasoning_text reasoning_content refusal video_metadata guard_content
        cache_point s3_location tool_reference code error message extra_content google
    """,
    tools="tools",
    found="variables",
)
"""Parts of messages: text, images, thinking, calls of tools and their results."""

ITEMS = {name: rule for name, rule in PARTS.items() if name != "data"}
"""Items of the Responses API, which are messages and parts alike."""

TOOLS = _rules(
    FIELDS,
    said="description title server_description instructions definition grammar regex",
    id="name",
    word="syntax server_label environment excluded_predefined_functions behavior",
    values="input_examples examples",
    tools="""
        function custom function_declarations format grammar tool_spec functions tools
        annotations default_config configs
    """,
    schema="""
        parameters parameters_json_schema input_schema output_schema response
        response_json_schema returns schema
    """,
)
"""Definitions of tools."""

SCHEMAS = _rules(
    said="""
        description title pattern required property_ordering dependent_required dependencies
        $comment enum_descriptions enum_titles error_message markdown_description
    """,
    word="type format content_encoding content_media_type property_name $anchor",
    url="$schema $id $ref $dynamic_ref id",
    properties="""
        properties $defs definitions pattern_properties dependent_schemas dependencies mapping
    """,
    values="enum const default examples example",
    schema="""
        items prefix_items any_of all_of one_of not if then else contains additional_properties
        additional_items property_names unevaluated_items unevaluated_properties discriminator
        content_schema json schema
    """,
    ALL="dependent_required",
)
"""Keywords of JSON Schema."""

ERRORS = _rules(
    FIELDS,
    said="message error detail details description error_description msg raw reason body param",
    word="unsupported code @type loc location field quota_metric quota_id quota_value retry_delay",
    errors="""
        error errors details detail message innererror inner_error metadata violations
        field_violations links quota_dimensions
    """,
)
"""What a server says of a call that failed."""

CHOICES = _rules(
    FIELDS,
    said="text finish_message",
    messages="message delta content",
    ALL="""
        logprobs logprobs_result citation_metadata grounding_metadata url_context_metadata
        grounding_attributions
    """,
)
"""Answers among which a client may choose."""

FORMATS = _rules(
    FIELDS, said="description", id="name", formats="json_schema format", schema="schema"
)
"""How an answer is to be written."""

EDITS = _rules(
    FIELDS, said="instructions", word="action clear_tool_inputs context path", edits="edits"
)
"""What a provider is asked to take out of a context, and what it reports."""

BODIES = _rules(
    FIELDS,
    edits="context_management compaction input_transformations reasoning",
    word="code",
    said="""
        messages input contents system instructions system_instruction prompt output output_text
        content message error detail suffix response citations stop_sequence
    """,
    messages="messages contents system_instruction message prediction",
    items="input output",
    parts="system instructions content prompt documents",
    found="images citations search_results",
    choices="choices candidates",
    tools="tools functions",
    errors="error errors detail",
    schema="format",
    formats="response_format text",
)
"""Requests and answers as a whole."""

ENVELOPES = _rules(
    BODIES,
    word="t ts at date time_ms timings",
    id="number request_id",
    url="path url upstream",
    said="response",
    ALL="timings",
)
"""What a record has besides its request and its response."""

CONTEXTS: dict[Context, dict[str, SecretRule]] = {
    "fields": FIELDS,
    "bodies": BODIES,
    "messages": MESSAGES,
    "parts": PARTS,
    "items": ITEMS,
    "calls": CALLS,
    "choices": CHOICES,
    "tools": TOOLS,
    "schema": SCHEMAS,
    "errors": ERRORS,
    "formats": FORMATS,
    "edits": EDITS,
    "envelopes": ENVELOPES,
    "filters": _rules(FIELDS, word="key value", filters="filters"),
    "secret": _rules(word="type"),
    "found": _rules(),
}
"""Where names are harmless. Objects of headers, properties and values of schemas have ways of their
own: their names are not ours. What a search has found is said, but not under names of secrets."""

HEADERS = frozenset(
    (
        *("accept", "accept-encoding", "content-type", "content-encoding", "content-length"),
        *("date", "host", "retry-after", "server", "transfer-encoding", "user-agent"),
        *("anthropic-beta", "anthropic-version", "openai-beta", "openai-version"),
        *("openai-processing-ms", "originator", "request-id", "x-request-id"),
        *("session-id", "session_id", "x-claude-code-agent-id", "x-claude-code-session-id"),
        *("x-goog-api-client", "x-opencode-session", "x-stainless-lang", "x-stainless-os"),
        *("x-stainless-package-version", "x-stainless-retry-count", "x-stainless-runtime"),
        *("x-stainless-timeout", "x-stainless-arch", "x-should-retry"),
    )
)
"""The headers that are stored. A list of those to leave out would always miss the next one."""
NAMING_HEADERS = frozenset(
    (
        *("host", "request-id", "session-id", "session_id", "x-request-id", "x-opencode-session"),
        *("x-claude-code-agent-id", "x-claude-code-session-id"),
    )
)
"""Those among them whose values are names, not words."""
PASSING_HEADERS = re.compile(
    r"(accept|access-control|anthropic|cache|cf|connection|content|dnt|expect|forwarded|if|keep"
    r"|nel|origin|pragma|priority|range|report|sec|sentry|strict|te|trailer|upgrade|vary|via|age"
    r"|x-app|x-b3|x-amzn-trace|x-content|x-envoy|x-forwarded|x-goog|x-ratelimit|x-real|x-stainless"
    r"|x-title|x-frame|x-xss|alt-svc|referer|http-referer|traceparent|tracestate|baggage|etag"
    r"|last-modified|server-timing|location)(-|$)"
)
"""Headers that are not stored, but hold nothing that must not be found elsewhere."""
QUERY = frozenset(("alt", "api-version", "beta"))
"""What is stored of the query of a call."""
VALUES = frozenset(
    (
        *("auto", "none", "null", "true", "false", "yes", "no", "on", "off", "all", "any", "high"),
        *("enabled", "disabled", "default", "required", "optional", "low", "medium", "minimal"),
        *("max", "standard", "fast", "json", "text", "markdown", "string", "object", "array"),
        *("number", "integer", "boolean", "function", "tool", "user", "assistant", "system"),
        *("public", "private"),
    )
)
"""Texts that are harmless under any name that is not one of a secret."""

SECRET_NAMES = re.compile(
    r"api_?key|access_?key|secret|pass_?(word|wd|phrase|code)|credential|private_?key|authoriz"
    r"|authentic|connection_?string|webhook|^code$|[a-z]token$|密码|口令|密钥|令牌|验证码"
    r"|(^|_)(otp|totp|pin|mfa|auth|login|access|security|recovery|verification|time)_code$"
    r"|(^|_)(card_number|cv[vc]2)$"
    r"|(^|_)(keys?|token|pwd|pw|pass|pin|otp|totp|mfa|pat|sig|signature|sid|dsn|jwt|jwt_assertion|cvv|cvc|psk|bearer"
    r"|auth|auth_header|cookies?|headers)$"
)
"""Names of secrets, in small letters and with words joined by ``_``."""
HARMLESS_NAMES = re.compile(
    r"(^|_)(sort|primary|foreign|cache|partition|group|idempotency)_key$"
    r"|(^|_)(eos|bos|pad|unk|sep|cls|mask|stop|max|min|image)_?token$"
)
"""Names that end like these and are none."""
KEYS = re.compile(
    r"(?<![A-Za-z0-9])(?:sk[-_][\w-]{12,}"
    r"|(?:pk|rk|pypi|github_pat|glpat|xox[a-z]|xapp|tvly|nvapi|dop_v1|shpat|whsec|lsv2_pt|sq0[a-z]{3}"
    r"|GOCSPX)[-_](?=[\w-]*[A-Z\d])[\w-]{12,}"
    r"|(?:gsk|csk|pcsk|hf|r8|fw|ntn|phc|sbp|rpa|npm|xai|pplx|gh[oprsu]|lin_api)[-_]"
    r"(?=[a-z]*[A-Z\d])[A-Za-z\d]{12,}"
    r"|(?:AKIA|ASIA)[0-9A-Z]{12,}|AIza[\w-]{20,}|(?:ya29|SG|AQ)\.[\w-]{12,}|1//0[\w-]{12,}"
    r"|(?:dapi(?=[a-z]*\d)|ATATT3|ABSK)\w{12,})|eyJ[\w-]{8,}\.[\w-]{8,}|-----BEGIN "
)
"""How keys of well-known services look. Names of tools may begin like them: ``npm_install_all``."""
UUID = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE
)
PIECES = re.compile(r"[A-Za-z0-9]+|[^\x00-\x7f]+")
LETTERS_AND_NUMBER = re.compile(r"[A-Za-z]{1,20}\d{1,14}|\d{1,14}[A-Za-z]{1,12}|\d{1,5}x\d{1,5}")
NUMBERED, NUMBERED_LENGTH = re.compile(r"[A-Z][a-z]+|[a-z]+|[A-Z]+|\d+"), 4
"""Words and numbers in names such as ``UserSettingsV2Request``, and their length on average."""
CASED = re.compile(r"[A-Z][a-z]+|[a-z]+|[A-Z]+")
SHORT_PIECE, LONGEST_LETTERS, LONGEST_DIGITS = 8, 24, 14
KEY_LENGTH = 12
"""Characters of a path segment, or of a name, that may be a key."""
SPOKEN_LENGTH = 16
"""Letters from which on a word must be one that can be spoken."""
ASSIGNED = re.compile(r"(?<![\w.-])-*([\w.-]++)(?:\s*=|[\"']\s*:|:\s)\s*\S")
"""A name in a text with a value behind it, as in a variable, a header or JSON."""
FOLLOWED = re.compile(r"(?<![\w.-])([A-Za-z][\w.-]*)[-_:/|= ]+([A-Za-z0-9+]{12,})")
"""A name, or the way to log in, and what may be a key."""
SCHEMES = frozenset(("basic", "bearer"))
OPTION = re.compile(r"(?:^|\s)--?([A-Za-z][\w-]*+)\s+\S")
LONE_OPTION = re.compile(r"--?([A-Za-z][\w-]*)")
"""An option of a command, whose value comes next, in the same text or in the next one."""
WORD_LENGTH = 3
"""Letters of a word in names such as ``getUserName``, on average; random ones change more often."""
UNSPOKEN = re.compile(r"[bcdfghjklmnpqrstvwxz]{5}", re.IGNORECASE)
"""Letters that long words hardly ever have in a row, and random ones nearly always."""
LONG_TOKEN = re.compile(r"[\w-]{16,}")
MIXED, MOST_MIXED = 3, 10
"""Characters of pieces that are no words, in all, from which on a token is none."""
TOKEN = re.compile(r"[^\s,;:=\"'<>{}\[\]()&?]++(?!=[^\s=,;&])")
"""A part of a secret, but for the name in front of one, as in a cookie."""
SCHEME = re.compile(r"[A-Za-z]+ +(?=\S+$)")
"""What precedes a key in a header, such as Bearer."""
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
JOINED = re.compile(r"[\s.\-]+")
URL = re.compile(
    r"([A-Za-z][\w+.-]*:)?//"
    r"([^\s/?#\"'<>]*@|[^\s/?#\"'<>@:\[\]]+:(?!\d*(?:[/?#]|$))[^\s\"'<>]*@)?"
    r"([^\s\"'<>]*)"
)
"""An address; what cannot be a port is a password, which may hold any sign."""
ADDRESS = re.compile(r"https?://\S+")
PAIR = re.compile(r"([?&#;])([^&#;]*)")
"""A part of a query or a fragment."""
ASSIGNED_PARTS = re.compile(r"(?:^|;)([^;=]+)=([^;]+)")
"""Parts of a segment of a path that have a name."""
MODEL = re.compile(r"/(?:models|deployments|engines)/$")
JsonPath = tuple[Any, ...]
"""A place as its last key and the place of what holds it."""
RESPONSE: JsonPath = ("response", ())


@lru_cache(maxsize=8192)
def spelled(name: str) -> str:
    """Return a name in small letters, its words joined by ``_``, however it is written."""
    return JOINED.sub("_", CAMEL.sub("_", name)).lower()


@lru_cache(maxsize=8192)
def is_secret(name: str) -> bool:
    """Return whether a name is one of a secret."""
    words = spelled(name)
    return SECRET_NAMES.search(words) is not None and HARMLESS_NAMES.search(words) is None


@lru_cache(maxsize=8192)
def is_plain(text: str) -> bool:
    """Return whether a text is made of words and numbers, so that it can't be a random key."""
    if KEYS.search(text):
        return False
    text = UUID.sub("", text)
    if not all(map(_is_plain_piece, PIECES.findall(text))):
        return False
    return all(map(_is_plain_token, LONG_TOKEN.findall(text)))


def _is_plain_piece(piece: str) -> bool:
    size = len(piece)
    if size <= SHORT_PIECE or not piece.isascii():
        return True
    if piece.isdigit():
        return size <= LONGEST_DIGITS
    if piece.isalpha():
        words = CASED.findall(piece)
        is_spoken = size < SPOKEN_LENGTH or UNSPOKEN.search(piece) is None
        is_short = max(map(len, words)) <= LONGEST_LETTERS
        return is_short and is_spoken and size >= WORD_LENGTH * len(words)
    return _is_numbered(piece)


def _is_numbered(piece: str) -> bool:
    """Return whether letters and digits are words with a number, such as a version."""
    is_long = len(piece) >= NUMBERED_LENGTH * len(NUMBERED.findall(piece))
    return is_long or LETTERS_AND_NUMBER.fullmatch(piece) is not None


def _is_plain_token(token: str) -> bool:
    """Return whether a token of several pieces is one of words, although each may be short."""
    mixed = (one for one in PIECES.findall(token) if len(one) >= MIXED and _is_mixed(one))
    return sum(map(len, mixed)) < MOST_MIXED


def _is_mixed(piece: str) -> bool:
    if piece.isalpha():
        return len(CASED.findall(piece)) > len(piece) // WORD_LENGTH
    return not piece.isdigit() and not _is_numbered(piece)


def _is_word(text: str) -> bool:
    return len(text) <= LONGEST_TEXT and is_plain(text)


class SecretMemory:
    """Values that calls of a run logged in with; any thread may use it. It is never stored."""

    def __init__(self) -> None:
        self._values: dict[str, None] = {}
        self._guard = Lock()

    def add(self, values: Iterable[str]) -> None:
        """Remember values; the oldest are forgotten."""
        with self._guard:
            for value in values:
                self._values.pop(value, None)
                self._values[value] = None
            while len(self._values) > MAX_SECRETS:
                del self._values[next(iter(self._values))]

    def values(self) -> list[str]:
        """Return the values that are remembered."""
        with self._guard:
            return list(self._values)


# Where a value is


class _Field(NamedTuple):
    """Where a value is: its name with its rule, and the context of that name.

    ``about`` is the property that a schema or a value in one defines; ``is_choice`` means that the
    value is one of several, and so never a secret of its own.
    """

    key: str
    rule: SecretRule | None
    context: Context
    about: str = ""
    is_choice: bool = False

    @property
    def is_default(self) -> bool:
        """Return whether it is a value that a schema has, such as a default."""
        return self.context == "values"

    @property
    def is_said(self) -> bool:
        """Return whether its texts are stored as they are."""
        return self.rule is not None and self.rule[0] == "said"

    @property
    def is_whole(self) -> bool:
        """Return whether its objects are stored as they are."""
        return self.rule is not None and self.rule[1] is None

    @property
    def is_named(self) -> bool:
        """Return whether it has the name of a secret, or is in an object that has one."""
        if self.is_default:
            return is_secret(self.about)
        return self.rule is None and (self.context == "secret" or is_secret(self.key))

    @property
    def inside(self) -> Context:
        """Return the context of the names in its objects."""
        if self.rule is not None:
            assert self.rule[1] is not None
            return self.rule[1]
        if spelled(self.key).endswith("headers"):
            return "headers"
        return "secret" if self.is_named else "fields"


def _field_of(key: str, value: Any, context: Context, about: str) -> _Field | None:
    """Return the field of a value in an object, or None if the value is harmless."""
    if context == "headers":
        if key.lower() in HEADERS and isinstance(value, str):
            return None
        return _Field(key, None, "secret" if _may_log_in(key) else "fields")
    if context == "properties":
        if isinstance(value, Mapping):
            return _Field(key, SCHEMA, "properties", key)
        return _Field(key, VALUE, "values", key, isinstance(value, list | tuple))
    if context == "values":
        return _Field(key, VALUE, "values", key)
    rules = CONTEXTS[context]
    rule = rules.get(key) or rules.get(spelled(key))
    if context == "schema":
        if rule is not None and rule[1] == "values":
            is_choice = spelled(key) == "enum" and isinstance(value, list | tuple)
            return _Field(key, VALUE, "values", about, is_choice)
        return _Field(key, rule, "fields" if rule is None else "schema", about)
    if context == "found" and not is_secret(key):
        return _Field(key, FOUND, context)
    is_said = rule is not None and rule != FOUND and rule[0] == "said"
    return None if is_said and type(value) is str else _Field(key, rule, context)


# Cleaning one call


class SecretCleaner:
    """Cleans one call, its request first: secrets of that are searched for in everything else."""

    def __init__(self, memory: SecretMemory | None = None) -> None:
        self._memory = memory or SecretMemory()
        self._found: dict[str, None] = {}
        self._removed = RemovedSecrets()

    def clean(self, exchange: Exchange) -> Exchange:
        """Return an exchange without secrets; what is clean in it stays the same object."""
        self._removed = exchange.removed
        envelope, answer = exchange.envelope, exchange.response
        headers = self._headers(exchange.headers)
        path = self._path_of_call(exchange.path)
        tag = self._tag(exchange.tag)
        self._memory.add(self._found)
        request = self._body(exchange.request, ())
        answer = self._body(answer, RESPONSE)
        if envelope is not None:
            envelope = self._envelope(envelope)
        tag = self._tag(tag)  # A body may have shown that it is a secret.
        search = self._search()
        cleaned = replace(
            exchange,
            headers=search.within(headers, ("headers", ())),
            path=search.within(path, ("path", ())),
            request=search.within(request, ()),
            response=search.within(answer, RESPONSE),
            envelope=search.within(envelope, ("envelope", ())),
            tag=search.within(tag, ("tag", ())),
        )
        return replace(cleaned, removed=self._removed)

    def clean_answer(self, answer: Mapping[str, Any]) -> tuple[Mapping[str, Any], RemovedSecrets]:
        """Return the clean response of a request that was cleaned, and what was removed from it."""
        self._removed = RemovedSecrets()
        answer = self._search().within(self._body(answer, RESPONSE), RESPONSE)
        return answer, self._removed

    def note_answer_headers(self, headers: Mapping[str, str]) -> None:
        """Learn what a server sent that logs in, such as a cookie."""
        known, self._found = self._found, {}
        for name, value in headers.items():
            if name.lower() not in HEADERS and is_secret(name):
                self._learn(value, LONG, LONG)
        self._memory.add(self._found)  # Without what bodies held, which may be very many.
        self._found = {**known, **self._found}

    def _search(self) -> _ValueSearch:
        return _ValueSearch([*self._found, *self._memory.values()], self._note)

    def _note(self, path: JsonPath) -> None:
        self._removed = self._removed.plus(_text_of(path))

    def _learn_name(self, name: str) -> None:
        """Look for a name that is a key itself, as for a value."""
        if not is_plain(name):
            self._learn(name, LONG, LONG)

    # What is learned

    def _learn(self, value: str, shortest: int, shortest_word: int) -> None:
        """Look for a value, and for its parts, in all else that is stored of the call."""
        scheme = SCHEME.match(value)
        value = value[scheme.end() :] if scheme else value
        texts = {value, unquote_plus(value), unquote(value)}
        for text in tuple(texts):
            texts.update(TOKEN.findall(text))
        texts.update([*_unpacked(texts)])
        for text in texts:
            text = text.strip()
            is_long = len(text) >= (shortest_word if _is_name(text) else shortest)
            if is_long and text not in REMOVED:
                self._found[text] = None

    def _take(self, value: str, path: JsonPath, *, is_named: bool) -> str:
        """Return what is stored in place of a secret."""
        if not value or value == REMOVED:
            return value
        self._note(path)
        if is_named:
            self._learn(value, SHORTEST, LONGEST_WORD)
        else:
            for one in TOKEN.findall(value):
                if len(one) >= LONG and not is_plain(one):
                    self._found[one] = None
        return REMOVED

    # Headers, addresses and the name of a conversation

    def _headers(self, headers: Mapping[Any, Any]) -> dict[str, str]:
        kept: dict[str, str] = {}
        for name, value in headers.items():
            if not isinstance(name, str) or not isinstance(value, str):
                continue
            lower = name.lower()
            if lower in HEADERS or (PASSING_HEADERS.match(lower) and not is_secret(lower)):
                is_name = lower in NAMING_HEADERS or lower not in HEADERS
                if KEYS.search(value) or _names_secret(value) or not (is_name or is_plain(value)):
                    self._take(value, (lower, ("headers", ())), is_named=False)
                elif lower in HEADERS:
                    kept[lower] = value
            else:
                self._note((lower, ("headers", ())))
                self._learn(value, LONG, LONG)
                self._learn_name(name)
        return kept

    def _path_of_call(self, path: str) -> str:
        """Return the path of a call, or its whole address, without keys."""
        try:
            parts = urlsplit(path)
            pairs = parse_qsl(parts.query, keep_blank_values=True)
        except ValueError:
            return ""
        place: JsonPath = ("path", ())
        who, _, host = parts.netloc.rpartition("@")
        if who:
            self._note(place)
            for one in who.split(":"):
                self._learn(one, LONG, LONG)
        kept: list[tuple[str, str]] = []
        for name, value in pairs:
            if name in QUERY and is_plain(value):
                kept.append((name, value))
            elif value or not is_plain(name):
                self._note((name, ("query", ())))
                self._learn(value, LONG, LONG)
                self._learn_name(name)
        bare = self._segments(parts.path, place, is_ours=True)
        return urlunsplit((parts.scheme, host, bare, urlencode(kept), ""))

    def _segments(self, path: str, place: JsonPath, *, is_ours: bool) -> str:
        """Return the path of an address without segments that look like keys."""
        if len(path) < KEY_LENGTH and "=" not in path:
            return path
        parts = path.split("/")
        for at, part in enumerate(parts):
            name, colon, method = part.partition(":")
            is_model = is_ours and bool(colon) and MODEL.search("/".join([*parts[:at], ""]))
            if is_model and not KEYS.search(part):
                continue
            if _is_key(part):
                if not is_ours or not method.isalpha():
                    name, colon, method = part, "", ""
                self._note(place)
                for one in (name, unquote(name).removeprefix("bot")):
                    self._learn(one, LONG, LONG)
                parts[at] = f"{REMOVED}{colon}{method}"
        return "/".join(parts)

    def _tag(self, tag: str | None) -> str | None:
        """Return the name of a conversation, or None if it is a key."""
        if tag is None or not tag.strip():
            return tag
        known = {*self._found, *self._memory.values()}
        if tag in known or (len(tag) >= LONG and not is_plain(tag)):
            self._note(("tag", ()))
            self._learn(tag, LONG, LONG)
            return None
        return tag

    def _envelope(self, envelope: Mapping[str, Any]) -> Mapping[str, Any]:
        place: JsonPath = ("envelope", ())
        kept: dict[str, Any] = {}
        for key, value in envelope.items():
            if key in ("path", "url") and isinstance(value, str):
                kept[key] = self._path_of_call(value)
            elif "headers" in key and isinstance(value, Mapping):
                kept[key] = {
                    name: one
                    for name, one in value.items()
                    if isinstance(name, str) and name.lower() in HEADERS
                }
            else:
                kept[key] = value
        return self._object(kept, "envelopes", "", place, 1)

    # Bodies

    def _body(self, body: Any, path: JsonPath) -> Any:
        """Return a body without secrets; anything but an object is refused later."""
        return self._object(body, "bodies", "", path, 1) if isinstance(body, Mapping) else body

    def _object(
        self, value: Mapping[Any, Any], context: Context, about: str, path: JsonPath, depth: int
    ) -> Mapping[Any, Any]:
        """Return an object without secrets, the same one if it has none.

        ``about`` is the property that a schema and its values define.
        """
        changed: dict[Any, Any] = {}
        rules = CONTEXTS.get(context, NO_RULES)
        for key, one in value.items():
            if one is None or one is True or one is False:
                continue
            field = _field_of(key if isinstance(key, str) else str(key), one, context, about)
            if field is None:
                continue
            kept = self._value(one, field, (key, path), depth)
            if kept is not one:
                changed[key] = kept
        if context == "properties":
            return {**value, **changed} if changed else value
        return self._renamed(value, changed, rules, path)

    def _renamed(
        self,
        value: Mapping[Any, Any],
        changed: Mapping[Any, Any],
        rules: Mapping[str, SecretRule],
        path: JsonPath,
    ) -> Mapping[Any, Any]:
        """Return an object with what has changed in it, and without names that are keys."""
        found: dict[str, str] = {}
        for key in value:
            if not isinstance(key, str) or len(key) < KEY_LENGTH:
                continue
            if key not in rules and not is_plain(key):
                self._note((REMOVED, path))
                self._learn(key, LONG, LONG)
                found[key] = REMOVED if not found else f"{REMOVED} {len(found) + 1}"
        if not found and not changed:
            return value
        return {found.get(key, key): changed.get(key, one) for key, one in value.items()}

    def _value(self, value: Any, field: _Field, path: JsonPath, depth: int) -> Any:
        """Return a value without secrets; what is nested too deeply is removed as a whole."""
        if isinstance(value, str):
            return (
                self._default(value, field, path)
                if field.is_default
                else (self._string(value, field, path))
            )
        if isinstance(value, Mapping | list | tuple):
            is_object = isinstance(value, Mapping)
            if field.is_whole and (is_object or field.is_said):
                return value
            if depth > DEEPEST:
                return self._dropped(path)
            if isinstance(value, Mapping):
                about = field.about or field.key
                return self._object(value, field.inside, about, path, depth + 1)
            return self._list(value, field, path, depth + 1)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return self._dropped(path) if is_number and field.is_named else value

    def _list(self, values: Sequence[Any], field: _Field, path: JsonPath, depth: int) -> Any:
        kept = []
        is_schemas = field.context == "schema" and (field.rule or PLAIN)[1] == "schema"
        for at, one in enumerate(values):
            inner = field
            if is_schemas and not isinstance(one, Mapping | list | tuple):
                inner = _Field(field.key, VALUE, "values", field.about)
            is_text = isinstance(one, str) and not inner.is_said and not inner.is_default
            if at and is_text and _asks_for_secret(values[at - 1]):
                kept.append(self._take(one, (at, path), is_named=True))
            else:
                kept.append(self._value(one, inner, (at, path), depth))
        is_same = all(new is old for new, old in zip(kept, values, strict=True))
        return values if is_same else kept

    def _dropped(self, path: JsonPath) -> str:
        """Return what is stored in place of anything but a text."""
        self._note(path)
        return REMOVED

    def _string(self, value: str, field: _Field, path: JsonPath) -> str:
        if field.rule is None:
            if value in VALUES and not field.is_named:
                return value
            return self._take(value, path, is_named=field.is_named)
        shape, context = field.rule[0], field.context
        if field.rule == FOUND and ADDRESS.fullmatch(value):
            return self._url(value, "parts", path)
        if shape == "said" or (shape == "url" and value.startswith("data:")):
            return value
        if shape == "url" or "://" in value:
            rest = URL.sub("", value if "//" in value else f"//{value}").strip()
            is_harmless = shape == "word" and "@" not in rest and _is_harmless(rest)
            if not rest or is_harmless or context in SAYING:
                return self._url(value, context, path)
            return self._take(value, path, is_named=False)
        if value.lstrip()[:1] in ("{", "["):
            kept = self._json(value, path)
            if kept is not None:
                return kept
        if shape == "word":
            is_harmless = _is_harmless(value)
        else:
            is_short = len(value) <= LONGEST_ID and not KEYS.search(value)
            is_harmless = is_short and not _names_secret(value)
        return value if is_harmless else self._take(value, path, is_named=False)

    def _default(self, value: str, field: _Field, path: JsonPath) -> str:
        """Return a text that a schema has as a value, unless it is a key or that of a secret."""
        if not value or value in VALUES:
            return value
        if field.is_named and not field.is_choice:
            return self._take(value, path, is_named=True)
        if "://" in value:
            return self._url(value, "tools", path)
        return value if is_plain(value) else self._take(value, path, is_named=field.is_named)

    def _json(self, text: str, path: JsonPath) -> str | None:
        """Return a text that is JSON, as ids of one client are, cleaned; None if it is none."""
        try:
            value = json.loads(text, object_pairs_hook=_with_each_name_once)
        except (ValueError, RecursionError):
            return None
        kept = self._value(value, _Field("", PLAIN, "fields"), path, 1)
        return text if kept is value else json.dumps(kept, separators=(",", ":"))

    # Addresses in bodies

    def _url(self, text: str, context: Context, path: JsonPath) -> str:
        """Return a text without what logs in in its addresses; the others are words and numbers."""
        is_said = context in SAYING
        is_bare = "//" not in text

        def pair(match: re.Match[str]) -> str:
            sign, piece = match.groups()
            name, equals, value = (piece if "=" in piece else unquote(piece)).partition("=")
            if not equals:
                name, value = "", name
            is_plain_name = is_plain(unquote(name))
            if not value or value == REMOVED:
                is_harmless = True
            elif equals:
                is_harmless = self._is_harmless(name, value, is_said=is_said)
            else:
                is_harmless = is_plain(value)
            if is_harmless and is_plain_name:
                return match[0]
            self._take(unquote(value or name), path, is_named=is_secret(name))
            self._take_part(value)
            if not is_plain_name:
                self._learn(name, LONG, LONG)
                name = REMOVED
            return f"{sign}{name}{equals}{REMOVED}"

        def address(match: re.Match[str]) -> str:
            scheme, who, rest = match.groups()
            if who:
                self._note(path)
                for one in who.removesuffix("@").split(":"):
                    self._learn(one, SHORTEST, LONGEST_WORD)
            where, sign, query = _cut(rest)
            if not is_said or KEYS.search(where):
                where = self._segments(where, path, is_ours=False)
            return f"{scheme or ''}//{where}{PAIR.sub(pair, sign + query)}"

        kept = URL.sub(address, f"//{text}" if is_bare else text)
        kept = kept.removeprefix("//") if is_bare else kept
        return text if kept == text else kept

    def _take_part(self, value: str) -> None:
        if len(value) >= LONG:
            self._found[value] = None

    @staticmethod
    def _is_harmless(name: str, value: str, *, is_said: bool) -> bool:
        if is_secret(name):
            return False
        text = unquote(value)
        if text in VALUES or is_said:
            return is_plain(text)
        rule = FIELDS.get(spelled(name))
        is_number = text.isdigit() and len(text) < LONG
        return is_number or (rule is not None and _is_word(text))


SAYING = frozenset(("messages", "parts", "items"))
"""Contexts in which addresses are part of what was said."""


def _is_key(text: str) -> bool:
    """Return whether a segment of a path is long and no words, or says that it is a secret."""
    return (
        bool(KEYS.search(text))
        or any(is_secret(name) for name, _ in ASSIGNED_PARTS.findall(unquote(text)))
        or (len(text) >= KEY_LENGTH and not (is_plain(unquote(text)) and UUID.search(text) is None))
    )


def _is_harmless(text: str) -> bool:
    """Return whether a text is made of words and numbers, and calls none of them a secret."""
    return _is_word(text) and not _names_secret(text)


def _names_secret(text: str) -> bool:
    """Return whether a text gives a value to a name of a secret."""
    names = [*ASSIGNED.findall(text), *OPTION.findall(text)]
    if any(map(is_secret, names)):
        return True
    return any(
        (name.lower() in SCHEMES or is_secret(name)) and not is_plain(value)
        for name, value in FOLLOWED.findall(text)
    )


def _asks_for_secret(text: object) -> bool:
    """Return whether a text is an option of a command that is followed by a secret."""
    found = LONE_OPTION.fullmatch(text) if isinstance(text, str) else None
    return found is not None and is_secret(found[1])


def _with_each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; one that has a name twice would hide a value."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is there twice")
    return found


def _is_name(text: str) -> bool:
    """Return whether a text is one word, as may be found anywhere."""
    return text.isalpha() and (text.islower() or text.isupper() or text.istitle())


def _may_log_in(header: str) -> bool:
    return is_secret(header) or "key" in header.lower()


def _cut(address: str) -> tuple[str, str, str]:
    """Return an address cut before its query or fragment."""
    at = min((place for place in map(address.find, "?#") if place >= 0), default=len(address))
    return address[:at], address[at : at + 1], address[at + 1 :]


def _unpacked(texts: Iterable[str]) -> Iterator[str]:
    """Yield what texts hold in base64, as names and passwords are sent."""
    for text in texts:
        if len(text) < LONG:
            continue
        try:
            plain = base64.b64decode(text, validate=True).decode("ascii")
        except (binascii.Error, ValueError):
            continue
        if plain.isprintable():
            yield plain
            yield from plain.split(":")


def _text_of(path: JsonPath) -> str:
    """Return a place as keys joined by dots, without those that are secrets themselves."""
    keys: list[str] = []
    while path:
        key, path = path
        name = str(key)
        keys.append(name if len(name) < KEY_LENGTH or is_plain(name) else REMOVED)
    return ".".join(reversed(keys))


def without_keys(path: str) -> str:
    """Return the path of a call, or its whole address, without keys."""
    return SecretCleaner()._path_of_call(path)


# Finding the same values elsewhere


class _ValueSearch:
    """Finds values in whatever encoding they are repeated."""

    def __init__(self, values: Iterable[str], note: Callable[[JsonPath], None]) -> None:
        longest = sorted(set(values), key=lambda one: (-len(one), one))
        self._values = [_encoded(value) for value in longest]
        self._note = note

    def within(self, value: Any, path: JsonPath) -> Any:
        """Return a value without them, the same one where there are none."""
        if not self._values or value is None:
            return value
        found = self._found_in(value)
        return self._cleaned(value, found, path, 0) if found else value

    def _found_in(self, value: Any) -> list[_EncodedValue]:
        """Return those of which there is a trace, which are few as a rule."""
        data = _dumped(value)
        if data is None:
            return self._values
        words = data if len(self._values) <= FEW else _long_words(data)
        if len(self._values) > MANY:
            pieces = (words[at : at + ANCHOR] for at in range(len(words)))
            found = {place for piece in pieces for place in self._places.get(piece, ())}
            found |= {place for short, place in self._short if short in data}
            return [self._values[place] for place in sorted(found)]

        def is_there(anchor: bytes) -> bool:
            return anchor in (words if len(anchor) >= ANCHOR else data)

        return [one for one in self._values if any(map(is_there, one.in_json))]

    @cached_property
    def _places(self) -> dict[bytes, list[int]]:
        """Return values by how their anchors begin, so that each piece is looked up once."""
        places: dict[bytes, list[int]] = {}
        for place, one in enumerate(self._values):
            for anchor in one.in_json:
                places.setdefault(anchor[:ANCHOR], []).append(place)
        return places

    @cached_property
    def _short(self) -> list[tuple[bytes, int]]:
        every = ((one.in_json[0], place) for place, one in enumerate(self._values))
        return [(anchor, place) for anchor, place in every if len(anchor) < ANCHOR]

    def _cleaned(self, value: Any, found: list[_EncodedValue], path: JsonPath, depth: int) -> Any:
        if isinstance(value, str):
            return self._text(value, found, path)
        if not isinstance(value, Mapping | list | tuple):
            return value
        if depth > DEEPEST:
            self._note(path)
            return REMOVED
        if isinstance(value, list | tuple):
            kept = [
                self._cleaned(one, found, (at, path), depth + 1) for at, one in enumerate(value)
            ]
            same = all(new is old for new, old in zip(kept, value, strict=True))
            return value if same else kept
        cleaned: dict[Any, Any] = {}
        is_same = True
        for key, one in value.items():
            name = self._text(key, found, path) if isinstance(key, str) else key
            cleaned[name] = self._cleaned(one, found, (name, path), depth + 1)
            is_same = is_same and name is key and cleaned[name] is one
        return value if is_same else cleaned

    def _text(self, text: str, found: list[_EncodedValue], path: JsonPath) -> str:
        if len(found) > MANY:
            found = self._found_in(text)
        kept = text
        if len(found) > MANY:
            for value in found:
                kept = kept.replace(value.value, REMOVED)
            found = self._found_in(kept)
        joined = _joined(kept)
        for value in found:  # The longest first, in all its forms: it may hold others.
            if not value.is_in(joined):
                continue
            plain = kept.replace(value.value, REMOVED)
            if plain is not kept:
                kept, joined = plain, _joined(plain)
            if value.is_in(joined):
                kept = value.without(kept)
                joined = _joined(kept)
        if kept == text:
            return text
        self._note(path)
        return kept


class _EncodedValue(NamedTuple):
    """A value with all that it may look like; ``anchors`` are in each of these."""

    value: str
    packed: tuple[str, ...]
    anchors: tuple[str, ...]
    in_json: tuple[bytes, ...]

    def is_in(self, text: str) -> bool:
        """Return whether a text may hold the value."""
        return any(one in text for one in self.anchors)

    def without(self, text: str) -> str:
        """Return a text without the value."""
        text = _escaped(self.value).sub(REMOVED, text)
        for core in self.packed:
            at = 0
            while (match := _packed(core).search(text, at)) is not None:
                start, end = match.span()
                while start and text[start - 1] in PACKED:
                    start -= 1
                while end < len(text) and text[end] in PACKED:
                    end += 1
                text = f"{text[:start]}{REMOVED}{text[end:]}"
                at = start + len(REMOVED)
        return text


PACKED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=")
NAMED = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}
FEW, MANY = 12, 64
"""So many values are looked for in a whole body, so many in its long words; more, by pieces of so
many bytes.
"""
NO_WORD = bytes(
    byte if chr(byte).isalnum() or chr(byte) in "+/_-=%\\&#;" or byte > 127 else ord(" ")  # noqa: PLR2004
    for byte in range(256)
)
ANCHOR = 8
"""Characters of a value that are looked for as they are; of one without, all of it is."""
UNESCAPED = re.compile(r"[A-Za-z0-9_.~-]+")
"""Values that look the same where only what must be escaped is."""
ESCAPED = 4
"""Characters that are looked for where each of them is escaped."""


WAYS: tuple[Callable[[str], str], ...] = (
    lambda char: f"%{ord(char):02x}" if char.isascii() else quote(char).lower(),
    lambda char: f"%{ord(char):02X}" if char.isascii() else quote(char),
    lambda char: f"={ord(char):02X}",
    lambda char: "".join(f"\\u{unit:04x}" for unit in _units(char)),
    lambda char: "".join(f"\\u{unit:04X}" for unit in _units(char)),
    lambda char: f"\\x{ord(char):02x}",
    lambda char: f"\\x{ord(char):02X}",
    lambda char: f"&#{ord(char)};",
    lambda char: f"&#x{ord(char):x};",
    lambda char: f"&#x{ord(char):X};",
)
"""How each character of a value may be escaped, also where it need not be."""


@lru_cache(maxsize=256)
def _encoded(value: str) -> _EncodedValue:
    """Return what finds a value: as it is, escaped in every usual way, in base64 or as hex."""
    data = value.encode("utf-8", "surrogatepass")
    packed = (*_base64_cores(data), data.hex(), data.hex().upper())
    runs = sorted(re.findall(r"[A-Za-z0-9]+", value), key=len)
    plain = runs[-1] if runs else value[:1]
    if len(plain) < ANCHOR and UNESCAPED.fullmatch(value):
        plain = value
    escaped = ["".join(map(write, value[:ESCAPED])) for write in WAYS]
    inside = [anchor for core in packed for anchor in _anchors_of(core)]
    anchors = dict.fromkeys((plain, *inside, *escaped))
    return _EncodedValue(value, packed, tuple(anchors), tuple(map(_in_json, anchors)))


@lru_cache(maxsize=256)
def _escaped(value: str) -> re.Pattern[str]:
    """Return what finds a value of which any character is escaped in any way."""
    return re.compile(r"(?:=\r?\n)?".join(map(_any_way, value)))


def _any_way(char: str) -> str:
    """Return a pattern for a character, however it is escaped."""
    number = ord(char)
    units = "".join(rf"\\+u(?i:{unit:04x})" for unit in _units(char))
    ways = [rf"\\*{re.escape(char)}", units, rf"&(?:amp;)?#0*{number};"]
    ways.append(rf"&(?:amp;)?#[xX]0*(?i:{number:x});")
    octets = char.encode("utf-8", "surrogatepass")
    for sign in ("%(?:25)*", "=", r"\\+x"):
        ways.append("".join(f"{sign}(?i:{octet:02x})" for octet in octets))
    if char in NAMED:
        ways.append(f"&(?:amp;)?{NAMED[char]};")
    if char == " ":
        ways.append(r"\+")
    return f"(?:{'|'.join(ways)})"


def _base64_cores(data: bytes) -> tuple[str, ...]:
    """Return what the base64 of a value always holds, at any offset in what is encoded."""
    cores: list[str] = []
    for offset in range(3):
        text = base64.b64encode(bytes(offset) + data).decode("ascii")
        cores.append(text[(offset * 8 + 5) // 6 : (offset + len(data)) * 8 // 6])
    return tuple(cores)


def _anchors_of(core: str) -> tuple[str, ...]:
    """Return what a packed value holds, however its signs are written."""
    run = max(re.findall(r"[A-Za-z0-9]+", core) or [""], key=len)
    return (run,) if len(run) >= ANCHOR else (core, core.translate(str.maketrans("+/", "-_")))


@lru_cache(maxsize=256)
def _packed(core: str) -> re.Pattern[str]:
    """Return what finds a packed value, also on several lines and within an address."""
    return re.compile(r"(?:\\*\r?\n|(?:\\+r)?\\+n)?".join(SIGNS.get(one, one) for one in core))


SIGNS = {"+": r"(?:[+-]|%(?:25)*2[bB])", "/": r"(?:\\*/|_|%(?:25)*2[fF])"}
"""How the signs of base64 may be written."""


def _units(char: str) -> tuple[int, ...]:
    """Return the numbers that JSON escapes a character by, which may be two."""
    data = char.encode("utf-16-be", "surrogatepass")
    return tuple(int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2))


def _in_json(text: str) -> bytes:
    return json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")[1:-1]


def _dumped(value: Any) -> bytes | None:
    """Return a value as JSON to be searched, None where it can't be written."""
    try:
        data = orjson.dumps(value)
    except (TypeError, ValueError, RecursionError):
        try:
            data = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
        except (TypeError, ValueError, RecursionError):
            return None
    if b"=\\n" in data or b"=\\r\\n" in data or _may_be_wrapped(data.split(b"\\n")):
        lines = data.replace(b"\\r\\n", b"\n").replace(b"\\n", b"\n")
        joined = WRAPPED_BYTES.sub(rb"\1", lines.replace(b"=\n", b""))
        if len(joined) < len(lines):
            data += joined
    return data


def _long_words(data: bytes) -> bytes:
    """Return the words of some JSON that are as long as anchors, each once."""
    words = data.replace(b"\\n", b" ").translate(NO_WORD).split()
    return b" ".join({word for word in words if len(word) >= ANCHOR})


def _may_be_wrapped(lines: list[bytes]) -> bool:
    """Return whether any of some lines but the last ends like one of base64."""
    return any(len(line) >= LINE and b" " not in line[-LINE:] for line in lines[:-1])


LINE = 60
"""Characters that a line of base64 has at least if another follows."""
WRAPPED_BYTES = re.compile(rb"(?<![A-Za-z0-9+/])([A-Za-z0-9+/]{60,}+)\\*\r?\n")
WRAPPED = re.compile(WRAPPED_BYTES.pattern.decode())
"""Lines of base64, which it is often broken into."""


def _joined(text: str) -> str:
    """Return a text without the breaks of quoted-printable and base64, which may be in a value."""
    if "\n" not in text and "\\n" not in text:
        return text
    lines = text.replace("\\r\\n", "\n").replace("\\n", "\n").replace("\r\n", "\n")
    return WRAPPED.sub(r"\1", lines.replace("=\n", ""))
