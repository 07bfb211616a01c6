"""Sweeps on the Device page."""
