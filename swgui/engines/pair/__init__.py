"""Aligning one pair of any length: the protocol of the engines and where to find them."""
