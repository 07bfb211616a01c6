"""The program's own method for one long pair."""
