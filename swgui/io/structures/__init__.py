"""Structure files: PDB and mmCIF to chains with residues, 3Di symbols, coordinates and confidence."""
