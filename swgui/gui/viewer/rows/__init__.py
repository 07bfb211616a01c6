"""The alignment of one pair, residue by residue."""
