"""Protocols in which no one holds all the data."""
