"""How boxes are measured: one file per family of methods."""
