"""The alignment of one pair, letter by letter."""
