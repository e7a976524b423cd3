"""Curation: from a pile of conversations to a data set of those that were accepted.

Start reading at ``catalog``, which knows a ``digest`` of each session, and ``query``, which chooses
some of them. ``replacing`` replaces in many, ``duplicates`` finds duplicates, ``purging`` removes
what is hidden for good, and ``dataset`` plans and writes data sets.
"""
