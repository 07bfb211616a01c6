"""What sweeps through settings are made of."""
