"""The Device page."""
