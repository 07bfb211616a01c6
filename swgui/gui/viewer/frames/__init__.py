"""The six frames of a DNA sequence, and the alignments of a hit in them."""
