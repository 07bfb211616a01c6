"""The alignment of one pair of sequences from request to result, as a generator of events."""
