"""Domain types and pure functions: no Qt, no CuPy, no Biopython, no files."""
