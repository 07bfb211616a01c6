"""``swgui bench --pairs``: methods for one long pair."""
