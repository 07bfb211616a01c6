"""The tiled method for one long pair."""
