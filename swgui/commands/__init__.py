"""The commands of the terminal as tables: from each its parser, its help, and the words that say what was asked for."""
