"""Integrations: a running agent's context is managed by ``core``, inside the agent's own framework.

Start with ``context`` (what every integration does around a model call), then ``ledger`` (which
message of the log is which object of the framework). Each framework has one file, which says how
its objects are read and written and is the only one to import it: ``langchain``,
``openai_agents``, ``pydantic_ai``, ``agent_framework``. Nothing here is imported by ``core``.
"""
