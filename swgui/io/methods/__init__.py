"""Methods texts: a paragraph for the methods section of a paper, and what to cite, for every kind of run."""
