"""Chains with coordinates: their shape, and the superposition of two of them."""
