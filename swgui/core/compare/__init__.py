"""A search beside another program's hits, or beside another run."""
