"""Databases of other programs as sources of sequences, read without these programs: BLAST, MMseqs2, Parquet."""
