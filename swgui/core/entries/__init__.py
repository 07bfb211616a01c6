"""What entries of public databases say of a sequence besides its residues: features, and pages about it."""
