"""The ways to measure a heatmap."""
