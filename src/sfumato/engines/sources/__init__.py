"""Tables of every kind as a stream of Arrow batches."""
