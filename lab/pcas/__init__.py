"""Score plots on known tables, ours beside those of the R package dppca."""
