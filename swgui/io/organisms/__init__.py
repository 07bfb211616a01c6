"""Organisms from files: NCBI's taxonomy dump, and lists of which sequence is of which organism."""
