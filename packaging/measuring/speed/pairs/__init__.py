"""``--pairs``: methods for one long pair."""
