"""Distributions of one column: measured once, and drawn in many ways."""
