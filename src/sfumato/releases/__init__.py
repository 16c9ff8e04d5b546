"""Noisy numbers with their guarantee: save, load, draw."""
