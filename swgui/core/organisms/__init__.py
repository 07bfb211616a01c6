"""Organisms of subjects, the tree of organisms, and the choice of subjects by them."""
