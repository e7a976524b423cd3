"""Drawing: values in, lines of text out; nothing here asks the engine, a file or the clock.

``text`` has what all of it is made of; each other room draws one thing.
"""
