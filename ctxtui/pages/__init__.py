"""Lessons as pages to hand out: one HTML file to step through, or Markdown with pictures.

``html.py`` and ``markdown.py`` write them from the frames of ``ctxtui/lessons/frames.py``.
"""
