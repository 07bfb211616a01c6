"""The published methods, one module each beside its paper; found by their names in `SEARCH_METHODS`."""
