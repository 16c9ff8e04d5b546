"""The one-line functions: a table in, a release out."""
