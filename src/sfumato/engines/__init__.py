"""Tables to exact integers: the only code that reads data."""
