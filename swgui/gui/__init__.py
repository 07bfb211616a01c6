"""The window: widgets, models and background tasks."""
