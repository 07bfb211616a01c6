"""One long pair of sequences: problem, result, and views of it."""
