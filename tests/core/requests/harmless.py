"""Calls that hold no secret, as rich as providers allow: cleaning must leave all of them alone."""

from typing import Any

from ctxtui.core.requests.exchange import Exchange

Row = dict[str, Any]
UUID = "3f2b8c1e-5d47-4a6b-9c0e-1f2a3b4c5d6e"
IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5Erk"
LONG_ID = "msg_01XFDUDYJgAACzvnptvVoYEL"
TEXT = (
    "Set API_KEY=abc123def456ghi789 in .env, then curl -H 'Authorization: Bearer sk-abc123' "
    "https://me:pw@host/v1?api_key=abc&sig=def <p class='token'>100%</p>"
)
SCHEMA: Row = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$defs": {"Unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "title": "Unit"}},
    "type": "object",
    "title": "look_args",
    "description": "See https://example.com/docs?page=2#schema; e.g. postgres://user:pass@host/db",
    "properties": {
        "api_key": {"type": "string", "description": "your key", "minLength": 8},
        "password": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        "headers": {"type": "object", "additionalProperties": {"type": "string"}},
        "unit": {"$ref": "#/$defs/Unit", "default": "celsius"},
        "count": {"type": ["integer", "null"], "minimum": 0, "maximum": 100, "default": 10},
        "when": {"type": "string", "format": "date-time", "examples": ["2025-06-18T10:00:00Z"]},
        "id": {"type": "string", "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}$", "example": UUID},
        "model": {"const": "gpt-4o-mini-2024-07-18"},
        "url": {"type": "string", "default": "https://example.com/a/page?q=1"},
        "max_tokens": {"type": "integer", "default": 1000},
        "properties": {"type": "array", "items": {"type": "string"}, "default": []},
        "filter": {
            "oneOf": [{"type": "object", "properties": {"field": {"type": "string"}}}],
            "discriminator": {"propertyName": "kind", "mapping": {"a": "#/$defs/Unit"}},
        },
    },
    "required": ["api_key", "password"],
    "dependentRequired": {"token": ["password"]},
    "additionalProperties": False,
    "propertyOrdering": ["api_key", "password"],
}
FUNCTION: Row = {
    "name": "mcp__github__create_issue",
    "description": f"Create an issue. {TEXT}",
    "parameters": SCHEMA,
    "strict": True,
}
CALLED: Row = {
    "id": "call_9pw1qnYScqvGrCH58HWCvFH6",
    "type": "function",
    "function": {"name": "look", "arguments": '{"token": "abc123def456", "q": "x"}'},
}
CHAT: Row = {
    "model": "ft:gpt-4o-mini-2024-07-18:my-org:custom:7p4lURel",
    "messages": [
        {"role": "system", "content": TEXT, "name": "instructions"},
        {"role": "developer", "content": [{"type": "text", "text": TEXT}]},
        {
            "role": "user",
            "name": "alice_2",
            "content": [
                {"type": "text", "text": TEXT, "cache_control": {"type": "ephemeral"}},
                {
                    "type": "image_url",
                    "image_url": {"url": f"data:image/png;base64,{IMAGE}", "detail": "low"},
                },
                {
                    "type": "image_url",
                    "image_url": {
                        "url": "https://upload.example.org/a/a7/Camponotus_flavomarginatus.jpg"
                    },
                },
                {"type": "input_audio", "input_audio": {"data": IMAGE, "format": "wav"}},
                {"type": "file", "file": {"file_id": "file-6F2ksmvXxt4VdoqmHRw6kL"}},
                {"type": "file", "file": {"filename": "a b.pdf", "file_data": IMAGE}},
            ],
        },
        {
            "role": "assistant",
            "content": None,
            "refusal": None,
            "reasoning_content": TEXT,
            "reasoning": TEXT,
            "reasoning_details": [
                {
                    "type": "reasoning.text",
                    "text": TEXT,
                    "signature": IMAGE,
                    "format": "anthropic-claude-v1",
                },
                {"type": "reasoning.encrypted", "data": IMAGE, "id": "rs_1", "index": 0},
            ],
            "thinking_blocks": [{"type": "thinking", "thinking": TEXT, "signature": IMAGE}],
            "tool_calls": [
                CALLED,
                {**CALLED, "extra_content": {"google": {"thought_signature": IMAGE}}},
            ],
        },
        {"role": "tool", "tool_call_id": CALLED["id"], "name": "look", "content": TEXT},
        {"role": "assistant", "content": "", "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": TEXT},
        {"role": "assistant", "audio": {"id": "audio_abc123def456ghi"}, "content": None},
    ],
    "tools": [
        {"type": "function", "function": FUNCTION},
        {
            "type": "custom",
            "custom": {
                "name": "grammar",
                "description": TEXT,
                "format": {"type": "grammar", "grammar": {"syntax": "lark", "definition": TEXT}},
            },
        },
    ],
    "functions": [FUNCTION],
    "tool_choice": {"type": "function", "function": {"name": "look"}},
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "answer", "description": TEXT, "schema": SCHEMA, "strict": True},
    },
    "stop": ["\n\nHuman:", "</s>"],
    "user": f"user-{UUID}",
    "metadata": {"user_id": f"user_{'ab12' * 16}_account_{UUID}_session_{UUID}"},
    "service_tier": "auto",
    "reasoning_effort": "high",
    "verbosity": "low",
    "modalities": ["text", "audio"],
    "audio": {"voice": "alloy", "format": "wav"},
    "prediction": {"type": "content", "content": TEXT},
    "stream_options": {"include_usage": True},
    "logit_bias": {"50256": -100},
    "web_search_options": {
        "search_context_size": "low",
        "user_location": {
            "type": "approximate",
            "approximate": {"city": "New York", "country": "US", "timezone": "America/New_York"},
        },
    },
    "prompt_cache_key": f"ses_{UUID}",
    "safety_identifier": "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
    "provider": {"order": ["Anthropic", "OpenAI"], "sort": "throughput", "data_collection": "deny"},
    "models": ["anthropic/claude-sonnet-4.5", "meta-llama/llama-3.1-405b-instruct:free"],
    "plugins": [{"id": "web", "engine": "exa", "max_results": 3}],
    "transforms": ["middle-out"],
    "chat_template_kwargs": {"enable_thinking": False},
    "guided_regex": "[a-z]{3,8}0123456789abcdef",
    "guided_choice": ["positive", "negative"],
    "stop_token_ids": [1, 2],
    "top_k": 20,
    "seed": 42,
    "max_tokens": 100,
    "thinking": {"type": "enabled", "budget_tokens": 1024},
    "extra_body": {"reasoning": {"effort": "low", "exclude": True}},
}
CHAT_ANSWER: Row = {
    "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
    "object": "chat.completion",
    "created": 1741569952,
    "model": "gpt-4.1-2025-04-14",
    "provider": "Amazon Bedrock",
    "system_fingerprint": "fp_44709d6fcb",
    "service_tier": "default",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": TEXT,
                "refusal": None,
                "annotations": [
                    {
                        "type": "url_citation",
                        "url_citation": {"url": "https://example.com/a?x=1", "title": "A title."},
                    }
                ],
                "tool_calls": [CALLED],
            },
            "logprobs": {
                "content": [{"token": "abc123def456ghi789", "logprob": -0.1, "bytes": [1]}]
            },
            "finish_reason": "stop",
            "native_finish_reason": "end_turn",
        }
    ],
    "usage": {
        "prompt_tokens": 19,
        "completion_tokens_details": {"reasoning_tokens": 0},
        "cost": 0.0012,
    },
    "x_groq": {"id": "req_01jbd6g2qdfw2adyrt2az8hz4w"},
}
TOOLS: list[Row] = [
    {"type": "function", **FUNCTION},
    {
        "type": "file_search",
        "vector_store_ids": ["vs_6F2ksmvXxt4VdoqmHRw6kL"],
        "filters": {"type": "eq", "key": "region", "value": "us"},
        "ranking_options": {"ranker": "auto", "score_threshold": 0.5},
    },
    {"type": "web_search", "filters": {"allowed_domains": ["pubmed.ncbi.nlm.nih.gov"]}},
    {"type": "code_interpreter", "container": {"type": "auto", "file_ids": ["file-1aB2c"]}},
    {
        "type": "mcp",
        "server_label": "deepwiki",
        "server_description": TEXT,
        "server_url": "https://mcp.deepwiki.com/mcp",
        "require_approval": {"never": {"tool_names": ["ask_question"]}},
        "allowed_tools": ["ask_question"],
    },
    {"type": "custom", "name": "c", "description": TEXT, "format": {"type": "text"}},
    {"type": "image_generation", "quality": "high", "size": "1024x1024", "output_format": "png"},
    {"type": "computer_use_preview", "display_width": 1024, "environment": "browser"},
    {"type": "local_shell"},
]
RESPONSES: Row = {
    "model": "gpt-5.1-codex-max",
    "instructions": TEXT,
    "input": [
        {"role": "user", "content": TEXT},
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_text", "text": TEXT},
                {"type": "input_image", "image_url": f"data:image/png;base64,{IMAGE}"},
                {"type": "input_image", "image_url": "https://example.com/a.png?w=800&q=80"},
                {"type": "input_file", "filename": "x.pdf", "file_data": IMAGE},
            ],
        },
        {
            "id": "rs_0f3b8c1e5d474a6b",
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": TEXT}],
            "encrypted_content": IMAGE * 3,
        },
        {
            "type": "function_call",
            "id": "fc_12345xyz",
            "call_id": CALLED["id"],
            "name": "look",
            "arguments": '{"password": "abc123def456"}',
            "status": "completed",
        },
        {"type": "function_call_output", "call_id": CALLED["id"], "output": TEXT},
        {
            "type": "function_call_output",
            "call_id": "c",
            "output": [{"type": "input_text", "text": TEXT}],
        },
        {"type": "custom_tool_call", "call_id": "c2", "name": "apply_patch", "input": TEXT},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": TEXT},
        {
            "type": "local_shell_call",
            "call_id": "c3",
            "status": "completed",
            "action": {"type": "exec", "command": ["curl", "-H", TEXT], "env": {"A": "b"}},
        },
        {"type": "web_search_call", "id": "ws_1", "action": {"type": "search", "query": TEXT}},
        {"type": "item_reference", "id": "msg_682c3e5d474a6b9c0e1f2a3b"},
        {
            "type": "mcp_call",
            "id": "mcp_1",
            "server_label": "deepwiki",
            "name": "ask_question",
            "arguments": "{}",
            "output": TEXT,
            "error": None,
        },
        {"type": "compaction", "encrypted_content": IMAGE},
    ],
    "tools": TOOLS,
    "tool_choice": "auto",
    "text": {
        "format": {"type": "json_schema", "name": "a", "schema": SCHEMA, "description": TEXT},
        "verbosity": "low",
    },
    "reasoning": {"effort": "medium", "summary": "auto"},
    "include": ["reasoning.encrypted_content", "message.output_text.logprobs"],
    "previous_response_id": "resp_67cb32528d6881909eb2859a55e18a85",
    "conversation": {"id": "conv_689667905b048191b4740501625afd94"},
    "prompt": {
        "id": "pmpt_abc123def4567890",
        "version": "2",
        "variables": {"city": "San Francisco"},
    },
    "context_management": [{"type": "compaction", "compact_threshold": 50000}],
    "truncation": "auto",
    "store": False,
    "prompt_cache_key": UUID,
    "prompt_cache_retention": "24h",
    "client_metadata": {},
}
RESPONSES_ANSWER: Row = {
    "id": "resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b",
    "object": "response",
    "created_at": 1741476542,
    "status": "completed",
    "error": None,
    "instructions": TEXT,
    "model": "gpt-4.1-2025-04-14",
    "output": [
        {
            "type": "message",
            "id": "msg_67ccd2bf17f0819081ff3bb2cf6508e60bb6a6b452d3795b",
            "status": "completed",
            "role": "assistant",
            "content": [
                {
                    "type": "output_text",
                    "text": TEXT,
                    "annotations": [
                        {
                            "type": "file_citation",
                            "file_id": "file-6F2ksmvXxt4VdoqmHRw6kL",
                            "filename": "deep research.pdf",
                            "index": 3,
                        }
                    ],
                    "logprobs": [],
                }
            ],
        },
        {
            "type": "image_generation_call",
            "id": "ig_1",
            "result": IMAGE,
            "revised_prompt": TEXT,
            "status": "completed",
        },
        {
            "type": "mcp_list_tools",
            "id": "mcpl_1",
            "server_label": "s",
            "tools": [
                {
                    "name": "t",
                    "description": TEXT,
                    "input_schema": SCHEMA,
                    "annotations": {"title": "T"},
                }
            ],
        },
        {
            "type": "code_interpreter_call",
            "id": "ci_1",
            "code": TEXT,
            "container_id": "cntr_1aB",
            "outputs": [{"type": "logs", "logs": TEXT}],
            "status": "completed",
        },
        {
            "type": "file_search_call",
            "id": "fs_1",
            "queries": [TEXT],
            "status": "completed",
            "results": [
                {"file_id": "file-1", "filename": "a.md", "text": TEXT, "attributes": {"k": "v"}}
            ],
        },
    ],
    "tools": TOOLS,
    "tool_choice": "auto",
    "incomplete_details": {"reason": "max_output_tokens"},
    "usage": {"input_tokens": 36, "output_tokens_details": {"reasoning_tokens": 0}},
    "metadata": {},
}
MESSAGES: Row = {
    "model": "claude-opus-4-5-20251101",
    "max_tokens": 32000,
    "system": [{"type": "text", "text": TEXT, "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
    "messages": [
        {"role": "user", "content": TEXT},
        {
            "role": "user",
            "content": [
                {
                    "type": "image",
                    "source": {"type": "base64", "media_type": "image/png", "data": IMAGE},
                },
                {"type": "image", "source": {"type": "url", "url": "https://example.com/a.jpg"}},
                {
                    "type": "document",
                    "source": {"type": "text", "media_type": "text/plain", "data": TEXT},
                    "title": TEXT,
                    "context": TEXT,
                    "citations": {"enabled": True},
                },
                {
                    "type": "document",
                    "source": {"type": "file", "file_id": "file_011CNha8iCJcU1wX"},
                },
                {
                    "type": "search_result",
                    "source": "https://example.com/a",
                    "title": TEXT,
                    "content": [{"type": "text", "text": TEXT}],
                },
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": TEXT, "signature": IMAGE},
                {"type": "redacted_thinking", "data": IMAGE},
                {
                    "type": "text",
                    "text": TEXT,
                    "citations": [
                        {
                            "type": "web_search_result_location",
                            "url": "https://en.example.org/wiki/Claude",
                            "title": "A, B",
                            "encrypted_index": IMAGE,
                            "cited_text": TEXT,
                        }
                    ],
                },
                {
                    "type": "tool_use",
                    "id": "toolu_01T1x1fJ34qAmk2tNTrN7Up6",
                    "name": "mcp__claude_ai_Linear__list",
                    "input": {"api_key": "abc123def456", "headers": {"X": TEXT}, "n": 5},
                    "caller": {"type": "direct"},
                },
                {
                    "type": "server_tool_use",
                    "id": "srvtoolu_01WYG3ziw53XMcoyKL4XcZmE",
                    "name": "web_search",
                    "input": {"query": "x"},
                },
                {
                    "type": "web_search_tool_result",
                    "tool_use_id": "srvtoolu_01WYG3ziw53XMcoyKL4XcZmE",
                    "content": [
                        {
                            "type": "web_search_result",
                            "url": "https://example.com/3f2b8c1e5d474a6b9c0e1f2a/x?y=abc",
                            "title": TEXT,
                            "encrypted_content": IMAGE,
                            "page_age": "April 30, 2025",
                        }
                    ],
                },
                {"type": "compaction", "content": None},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_01T1x1fJ34qAmk2tNTrN7Up6",
                    "is_error": True,
                    "content": [{"type": "text", "text": TEXT}],
                },
                {"type": "tool_result", "tool_use_id": "t", "content": TEXT},
            ],
        },
    ],
    "tools": [
        {
            "name": "Bash",
            "description": TEXT,
            "input_schema": SCHEMA,
            "cache_control": {"type": "ephemeral"},
            "input_examples": [{"unit": "celsius", "password": None, "count": 3}],
            "eager_input_streaming": True,
        },
        {
            "type": "web_search_20250305",
            "name": "web_search",
            "max_uses": 8,
            "blocked_domains": ["example.com"],
        },
        {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"},
        {"type": "mcp_toolset", "mcp_server_name": "s", "default_config": {"enabled": True}},
    ],
    "tool_choice": {"type": "tool", "name": "Bash", "disable_parallel_tool_use": True},
    "thinking": {"type": "adaptive"},
    "output_config": {"effort": "high"},
    "output_format": {"type": "json_schema", "schema": SCHEMA},
    "metadata": {
        "user_id": '{"device_id":"'
        + "ab12" * 16
        + f'","account_uuid":"{UUID}","session_id":"{UUID}"}}'
    },
    "mcp_servers": [
        {
            "type": "url",
            "name": "example-mcp",
            "url": "https://example-server.modelcontextprotocol.io/sse",
            "tool_configuration": {"enabled": True, "allowed_tools": ["example_tool_1"]},
        }
    ],
    "context_management": {
        "edits": [
            {
                "type": "clear_tool_uses_20250919",
                "trigger": {"type": "input_tokens", "value": 30000},
                "keep": {"type": "tool_uses", "value": 3},
                "exclude_tools": ["web_search"],
            },
            {"type": "compact_20260112", "instructions": "Sum up."},
        ]
    },
    "container": {
        "id": "container_011CPR5CNjB747bTd36fQLFk",
        "skills": [{"type": "anthropic", "skill_id": "pptx", "version": "latest"}],
    },
    "stop_sequences": ["\n\nHuman:"],
    "stream": True,
}
MESSAGES_ANSWER: Row = {
    "id": LONG_ID,
    "type": "message",
    "role": "assistant",
    "model": "claude-opus-4-5-20251101",
    "content": MESSAGES["messages"][2]["content"],
    "stop_reason": "stop_sequence",
    "stop_sequence": "\n\nHuman:",
    "container": {
        "id": "container_011CPR5CNjB747bTd36fQLFk",
        "expires_at": "2025-08-01T10:00:00.123456Z",
    },
    "context_management": {
        "applied_edits": [{"type": "clear_tool_uses_20250919", "cleared_tool_uses": 3}]
    },
    "usage": {
        "input_tokens": 3,
        "cache_creation": {"ephemeral_5m_input_tokens": 1},
        "service_tier": "standard",
        "inference_geo": "not_available",
    },
}
DECLARED = {
    "name": "look",
    "description": TEXT,
    "parameters": {**SCHEMA, "type": "OBJECT"},
    "response": SCHEMA,
    "behavior": "NON_BLOCKING",
}
GEMINI: Row = {
    "contents": [
        {
            "role": "user",
            "parts": [
                {"text": TEXT},
                {"inlineData": {"mimeType": "image/png", "data": IMAGE}},
                {
                    "fileData": {
                        "mimeType": "video/mp4",
                        "fileUri": "https://generativelanguage.googleapis.com/v1beta/files/k3j4h5l6m7n8",
                    }
                },
                {"videoMetadata": {"startOffset": "0s", "endOffset": "10s", "fps": 2}},
            ],
        },
        {
            "role": "model",
            "parts": [
                {"text": TEXT, "thought": True, "thoughtSignature": IMAGE},
                {
                    "functionCall": {"id": "f1", "name": "look", "args": {"token": "abc123def456"}},
                    "thoughtSignature": IMAGE,
                },
                {"executableCode": {"language": "PYTHON", "code": TEXT}},
                {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": TEXT}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "f1", "name": "look", "response": {"secret": TEXT}}}
            ],
        },
    ],
    "systemInstruction": {"role": "user", "parts": [{"text": TEXT}]},
    "tools": [
        {"functionDeclarations": [DECLARED]},
        {"googleSearch": {"timeRangeFilter": {}}},
        {"urlContext": {}},
        {"codeExecution": {}},
    ],
    "toolConfig": {
        "functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["look"]},
    },
    "safetySettings": [{"category": "HARM_CATEGORY_HATE_SPEECH", "threshold": "BLOCK_ONLY_HIGH"}],
    "generationConfig": {
        "temperature": 0,
        "stopSequences": ["END."],
        "responseMimeType": "application/json",
        "responseSchema": SCHEMA,
        "responseJsonSchema": SCHEMA,
        "responseModalities": ["TEXT", "IMAGE"],
        "thinkingConfig": {"thinkingBudget": -1, "includeThoughts": True, "thinkingLevel": "LOW"},
        "speechConfig": {
            "voiceConfig": {"prebuiltVoiceConfig": {"voiceName": "Kore"}},
            "languageCode": "en-US",
        },
        "mediaResolution": "MEDIA_RESOLUTION_LOW",
        "imageConfig": {"aspectRatio": "16:9"},
    },
    "cachedContent": "cachedContents/k3j4h5l6m7n8o9p0q1r2",
}
GEMINI_ANSWER: Row = {
    "candidates": [
        {
            "content": GEMINI["contents"][1],
            "finishReason": "STOP",
            "safetyRatings": [
                {"category": "HARM_CATEGORY_HATE_SPEECH", "probability": "NEGLIGIBLE"}
            ],
            "citationMetadata": {"citationSources": [{"uri": "https://a/b?x=y", "license": "mit"}]},
            "groundingMetadata": {
                "webSearchQueries": [TEXT],
                "groundingChunks": [{"web": {"uri": f"https://v/{IMAGE}", "title": "a.com"}}],
                "searchEntryPoint": {"renderedContent": TEXT},
            },
            "avgLogprobs": -0.1,
        }
    ],
    "usageMetadata": {
        "promptTokenCount": 4,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 4}],
        "trafficType": "ON_DEMAND",
    },
    "modelVersion": "gemini-2.5-flash-preview-05-20",
    "responseId": "mdKdaPyOBLfJvdIP3pq-kAo",
    "promptFeedback": {"blockReason": "SAFETY"},
    "createTime": "2025-08-14T10:00:57.123456Z",
}
OLLAMA: Row = {
    "model": "hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M",
    "messages": [
        {"role": "user", "content": TEXT, "images": [IMAGE]},
        {
            "role": "assistant",
            "content": "",
            "thinking": TEXT,
            "tool_calls": [{"function": {"name": "f", "arguments": {"password": "abc123def456"}}}],
        },
        {"role": "tool", "tool_name": "f", "content": TEXT},
    ],
    "tools": [{"type": "function", "function": FUNCTION}],
    "format": SCHEMA,
    "options": {"temperature": 0.1, "stop": ["</s>"], "num_ctx": 8192, "mirostat": 1},
    "keep_alive": "5m",
    "think": "high",
    "stream": False,
}
OLLAMA_ANSWER: Row = {
    "model": "llama3.2",
    "created_at": "2023-08-04T19:22:45.499127Z",
    "message": {"role": "assistant", "content": TEXT, "thinking": TEXT},
    "done": True,
    "done_reason": "stop",
    "total_duration": 4883583458,
}
ERRORS: tuple[Row, ...] = (
    {
        "error": {
            "message": TEXT,
            "type": "invalid_request_error",
            "param": None,
            "code": "context_length_exceeded",
        }
    },
    {
        "type": "error",
        "error": {"type": "overloaded_error", "message": TEXT},
        "request_id": "req_011CSHoEeqs5C35K2UUqR7Fy",
    },
    {
        "error": {
            "code": 429,
            "message": TEXT,
            "status": "RESOURCE_EXHAUSTED",
            "details": [
                {
                    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
                    "violations": [
                        {
                            "quotaMetric": "generativelanguage.googleapis.com/generate_content",
                            "quotaId": "GenerateRequestsPerMinutePerProjectPerModel",
                            "quotaDimensions": {"location": "global", "model": "gemini-2.5-pro"},
                            "quotaValue": "2",
                        }
                    ],
                },
                {
                    "@type": "type.googleapis.com/google.rpc.Help",
                    "links": [{"description": TEXT, "url": "https://ai.google.dev/limits"}],
                },
                {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "12s"},
            ],
        }
    },
    {"detail": [{"loc": ["body", "messages"], "msg": TEXT, "type": "value_error"}]},
    {"error": TEXT},
    {"object": "error", "message": TEXT, "type": "BadRequestError", "code": 400},
    {"error": {"message": TEXT, "code": 502, "metadata": {"raw": TEXT, "provider_name": "Z.AI"}}},
)
NAMED = {
    "content-type": "application/json",
    "user-agent": "OpenAI/Python 1.99.0",
    "x-claude-code-session-id": UUID,
}
CALLS: dict[str, Exchange] = {
    "chat": Exchange(
        CHAT, CHAT_ANSWER, "chat", "/v1/chat/completions", NAMED, tag="run-2025-06-18"
    ),
    "azure": Exchange(
        CHAT, path="/openai/deployments/gpt-4o-mini-2024/chat/completions?api-version=2024-10-21"
    ),
    "responses": Exchange(RESPONSES, RESPONSES_ANSWER, "responses", "/v1/responses", tag=UUID),
    "messages": Exchange(MESSAGES, MESSAGES_ANSWER, "messages", "/v1/messages?beta=true", NAMED),
    "gemini": Exchange(
        GEMINI,
        GEMINI_ANSWER,
        "gemini",
        "/v1beta/models/gemini-2.5-flash-preview-05-20:streamGenerateContent?alt=sse",
    ),
    "ollama": Exchange(OLLAMA, OLLAMA_ANSWER, "ollama", "/api/chat", tag="alice's bot"),
    **{f"error {at}": Exchange(CHAT, error) for at, error in enumerate(ERRORS)},
}
