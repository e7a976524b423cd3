"""Curating: from a pile of conversations to a data set of those that were accepted.

Start reading at ``catalog``, what is known of every session, and ``where``, which chooses some of
them; ``replacing`` changes many, ``alike`` finds duplicates, ``dataset`` writes what was chosen.
"""
