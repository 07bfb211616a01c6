"""Occupancy of a GPU by a kernel: a paper's equations next to the rules of the hardware, in a tab of the window."""
