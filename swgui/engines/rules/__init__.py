"""Scanners of the rules: which places of a text may be listed, by compiled code on the CPU or on a GPU."""
