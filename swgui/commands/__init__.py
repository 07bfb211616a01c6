"""The commands of the terminal as tables: each gives its parser, its help, and the command line of a request."""
