"""Facts about the computing methods: names, papers, settings, what they take of a GPU."""
