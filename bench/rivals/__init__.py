"""What our own code is measured against."""
