"""The parts of `lab/boxplot.py`: samples, simulations, tables and figures."""
