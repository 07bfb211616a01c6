"""What ``import swgui`` offers: searches and alignments as plain calls, with results to look at, tabulate and write."""
