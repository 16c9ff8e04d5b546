"""Figures to pictures: Matplotlib, Vega-Lite, self-contained HTML."""
