"""Pair plots: the request, its plan, and where its bins lie."""
