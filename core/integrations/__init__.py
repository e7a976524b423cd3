"""Integrations: ``core`` manages a running agent's context, inside the agent's own framework.

Start with ``context`` (what every integration does around a model call), then ``message_map``
(which message of the log is which object of the framework). Each framework has one file that reads
and writes its objects and alone imports it: ``langchain``, ``openai_agents``, ``pydantic_ai``,
``agent_framework``. ``core`` imports none of them.
"""
