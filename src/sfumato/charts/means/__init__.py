"""Means, sums and counts of groups: as bars, points and lines."""
