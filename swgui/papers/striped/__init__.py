"""The striped and chunked methods for one long pair."""
