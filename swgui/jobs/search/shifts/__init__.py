"""Alignments of searches with frameshifts: found again where a search has scored, counted, and put into columns."""
