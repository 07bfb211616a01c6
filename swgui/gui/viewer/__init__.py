"""Views of alignments. Layout, colouring and searching are pure functions; the widgets only paint."""
