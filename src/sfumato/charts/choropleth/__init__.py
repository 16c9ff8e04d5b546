"""Maps of regions: counts, and means of another column, asked for by one name."""
