"""Curation: what is known of every session of a library, which are meant, what is done to many.

Start reading at ``catalog``, which knows a ``digest`` of each session; ``where`` chooses sessions.
"""
