"""The terminal: standard streams, signals, timings."""
