"""One long pair: from the request to its alignments."""
