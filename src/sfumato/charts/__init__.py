"""What is asked, what it costs, how it is measured: one file per chart."""
