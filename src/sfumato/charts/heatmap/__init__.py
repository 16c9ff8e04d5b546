"""Heatmaps: the request, its plan, and one file per family of methods."""
