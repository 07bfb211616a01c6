"""Measures the tiles of the program's own kernel on the GPU at hand."""
