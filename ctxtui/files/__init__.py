"""Files: everything of a user's disk that the app and the commands read or write.

``reading.py`` and ``writing.py`` are the only places that open files of users; ``opening.py`` makes
conversations of them, ``sessions.py`` sessions of the library.
"""
