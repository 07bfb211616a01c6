"""Hits as annotation of the sequence they lie on, and that sequence itself."""
