"""Database files: layout, building, opening, and where they come from."""
