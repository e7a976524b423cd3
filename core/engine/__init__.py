"""The engine: pure functions from a state and an operation to a new state.

Read ``messages``, ``views`` (the data structure that makes batches cheap), ``log``, ``revisions``,
``state``, then ``operations``: one class each.
"""
