"""Numbers, settings and states in words. No Qt."""
