"""Pictures without a terminal: screenshots and timelines as SVG."""
