"""Chains with coordinates: what is known of their shape, and how two of them lie on each other."""
