"""The rows of a hit's alignment, residue by residue."""
