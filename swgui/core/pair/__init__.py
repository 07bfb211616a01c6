"""One long pair of sequences: what is asked, what is answered, and how to look at it."""
