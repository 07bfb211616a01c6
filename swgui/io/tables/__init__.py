"""Tables of other programs, and tables of comparisons."""
