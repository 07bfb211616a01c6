"""Alignments and profiles: the formats of other programs, in and out."""
