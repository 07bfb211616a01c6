"""The Folding server page: alignments for other programs, while the window is open."""
