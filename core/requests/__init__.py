"""Requests: from what an agent really sent to a timeline of operations, one lane a conversation.

A pure pipeline, which knows neither a network nor a screen. An *exchange* is one request and what
came back. Reading its body gives what was *asked*: messages as they were *sent*, each with its keys
(``identity``). The *finder* says in which *lane* it belongs; there it is *matched* with what the
lane showed before, and *explained* by the smallest operations that lead from one to the other. The
*recorder* does them, so that the projection after each request is the request, and keeps what the
request wrote differently as small *patches*, so that its body can be written again. A lane that
another recorder has recorded is *resumed* by its calls.

Start with ``exchange`` and ``asked``, which are the data; then ``recording``, where it all comes
together. How each provider writes messages is none of this room's business: the recorder is given
``Bodies``, which ``core.formats.bodies`` are.
"""

from .exchange import Exchange, Kind, kind_of_path
from .recording import Explanation, Recorded, Recorder, record_again
from .threads import Lane, LaneTable

__all__ = [
    "Exchange",
    "Explanation",
    "Kind",
    "Lane",
    "LaneTable",
    "Recorded",
    "Recorder",
    "kind_of_path",
    "record_again",
]
