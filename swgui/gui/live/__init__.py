"""What changes while something runs: devices, progress, speed."""
