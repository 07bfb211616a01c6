"""The window: widgets, models and background jobs."""
