"""Exact integers to noisy ones: the only code that opens an `Exact`."""
