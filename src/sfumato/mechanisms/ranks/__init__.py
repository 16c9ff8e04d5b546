"""Counts read as ranks, and random paths through them: what `joint` and `approx` draw with."""
