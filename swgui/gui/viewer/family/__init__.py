"""What the rounds of a search included: its alignment in colour, with a logo and the coverage of the query above."""
