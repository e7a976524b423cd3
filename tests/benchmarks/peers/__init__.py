"""The same rows through other libraries and through ctxtui: ``make bench-peers``.

Each library has one module in ``libraries`` with its ways to do each of the ``tasks``, written as
its users would. ``worker`` runs one library in a process of its own, ``__main__`` asks all of them
in turns and ``page`` writes what was found into docs/benchmarks.md. Start with ``peer``.
"""
