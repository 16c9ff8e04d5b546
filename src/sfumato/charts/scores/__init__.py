"""How scores are drawn: the frame, and what fills it."""
