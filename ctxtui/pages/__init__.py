"""Lessons as pages to hand out: one HTML file to step through.

``html.py`` writes it from the frames of ``ctxtui/lessons/frames.py``.
"""
