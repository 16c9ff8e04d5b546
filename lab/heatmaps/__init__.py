"""The parts of `lab/heatmap.py`: crowds, simulations, their store, tables and figures."""
