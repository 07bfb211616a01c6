"""Files of features: GFF3, and the entries of GenBank, EMBL and UniProt."""
