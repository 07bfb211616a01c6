"""Covariation: pairs of columns of an alignment of RNA that change together, as paired bases do.

The score of two columns is the G-test of their bases (Rivas, Clements and Eddy 2017, Nat. Methods 14:45), less what
both share with all other columns (APC: Dunn, Wahl and Gloor 2008, Bioinformatics 24:333). Its E comes from copies of
the alignment whose columns change alone along a tree of the rows: relatives share pairs of bases by descent, too.
"""
