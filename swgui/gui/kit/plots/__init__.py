"""What plots have in common."""
