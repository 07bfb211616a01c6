"""Help, documentation and the tour."""
