"""Subjects laid on the query by their aligned residues, as files of structures."""
