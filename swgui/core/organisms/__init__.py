"""Which organism each subject is of, the tree of organisms, and choosing subjects by them."""
