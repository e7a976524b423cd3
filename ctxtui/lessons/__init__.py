"""Playing lessons: where a learner stands, what was answered, and how right that is.

Nothing here knows a widget or a file. Start with ``player``; ``frames`` tells a whole lesson at
once.
"""
