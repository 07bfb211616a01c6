"""The content of ``import swgui``: searches and alignments as plain calls, with results to view, tabulate and write."""
