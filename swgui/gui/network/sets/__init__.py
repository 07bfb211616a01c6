"""Questions on sets of sequences: leaks between two, judged clusters, splits and clusters; each is a kind of run."""
