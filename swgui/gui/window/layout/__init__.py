"""Pages, rail and docks, and where they were."""
