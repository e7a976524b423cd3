"""Answers: put together from the pieces they are streamed in, one file for each kind of call.

The interface of all kinds is in ``assembling``, what they share in ``growing``; the others know
one provider's events each. What is put together is what the provider's own library gives at the
end of a stream.
"""

from .assembling import Assembled, assembled

__all__ = ["Assembled", "assembled"]
