"""One module for each library, with a ``PEER``; only its own worker imports it.

The libraries are not part of the set-up of the project: ``make bench-peers`` has its own.
"""

NAMES = (
    "langchain",
    "langgraph",
    "autogen",
    "openai_agents",
    "llama_index",
    "agent_framework",
    "ctxtui",
)
"""The modules, in the order in which the page has them."""
