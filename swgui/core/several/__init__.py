"""Databases that are searched together or in parts, and what changed between two of them."""
