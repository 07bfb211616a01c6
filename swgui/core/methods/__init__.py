"""Facts about the computing methods: names, papers, settings, and their use of a GPU."""
