"""Data that entries of public databases hold in addition to residues: features, and pages about the sequence."""
