"""Parts that change during a run: devices, progress, speed."""
