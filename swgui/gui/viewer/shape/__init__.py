"""Query and subject in space, laid on each other."""
