"""Sweeps through the settings of an engine, and the settings they found."""
