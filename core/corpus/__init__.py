"""Corpora: a plan over any number of conversations, carried out shard by shard.

A plan is data. An engine only decides where a shard runs: what comes out is the same, byte for byte
and in the same order, whatever the engine, the number of workers or the size of the shards.
"""

from .engines import Engine, LocalEngine
from .plan import CorpusPlan, Sink
from .records import RunCosts, RunProgress, RunResult
from .running import run_plan

__all__ = [
    "CorpusPlan",
    "Engine",
    "LocalEngine",
    "RunCosts",
    "RunProgress",
    "RunResult",
    "Sink",
    "run_plan",
]
