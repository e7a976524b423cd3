"""Models: what screens and lists work with, between the engine and the drawing.

None of it knows Textual, so all of it is used and tested without an app. Start with ``look.py``
(what is looked at) and ``workspace.py`` (what is done to a session).
"""
