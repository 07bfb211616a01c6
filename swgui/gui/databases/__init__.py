"""The Databases page."""
