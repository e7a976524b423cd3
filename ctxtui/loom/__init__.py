"""A session as a poster: each batch one line of the raw log, time running downwards."""
