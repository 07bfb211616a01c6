"""Rules that say exactly which places of a database are listed: mismatches, edits, identity, windows, words, guides."""
