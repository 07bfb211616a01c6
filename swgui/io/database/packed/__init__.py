"""Packed database files, version 3 of the format: blocks that are read one by one, and names that are read for hits."""
