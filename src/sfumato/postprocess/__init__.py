"""Noisy numbers to better numbers: pure functions of what is already public."""
