"""Work in the background, with progress and an end."""
