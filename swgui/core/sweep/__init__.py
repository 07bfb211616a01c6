"""Elements of sweeps through settings."""
