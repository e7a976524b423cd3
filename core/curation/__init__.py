"""Curation: from a pile of conversations to a data set of those that were accepted.

Start reading at ``catalog``, which knows a ``digest`` of each session, and ``where``, which chooses
some of them. ``editing`` replaces in many, ``alike`` finds duplicates, ``purging`` removes what is
hidden for good, and ``dataset`` plans what ``writing`` writes.
"""
