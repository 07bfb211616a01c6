"""Results beside other programs' hits and other runs."""
