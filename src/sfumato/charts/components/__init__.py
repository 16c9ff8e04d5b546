"""How principal components are found: their parts, each with a price."""
