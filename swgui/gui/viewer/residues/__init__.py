"""Residues drawn: glyphs, colour schemes, motifs."""
