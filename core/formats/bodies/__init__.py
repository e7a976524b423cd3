"""Bodies of requests and answers, to and from the messages that ``core.requests`` works with.

One class for each kind, all with the interface of ``wire``; what a body holds is read by the
readers of the format it resembles. Start with ``reading``.
"""

from .reading import WIRES, BodyReader, body_of

__all__ = ["WIRES", "BodyReader", "body_of"]
