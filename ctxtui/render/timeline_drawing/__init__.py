"""The batch timeline as a drawing for slides and issues: ``svg.py``, and ``mermaid.py``."""
