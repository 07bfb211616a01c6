"""Commands for the computer: its devices, how fast they are, and one that scores for others."""
