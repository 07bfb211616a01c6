"""Databases that are searched together or in parts, and the changes between two of them."""
