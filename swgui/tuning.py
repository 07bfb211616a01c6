"""Sweeps through the settings of an engine, as a generator of events."""
