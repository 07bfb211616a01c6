"""Base of plots."""
