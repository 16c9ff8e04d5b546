"""What runs on a Spark cluster, and how it is run."""
