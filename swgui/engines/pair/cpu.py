"""One long pair on the CPU."""
