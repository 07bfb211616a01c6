"""The law of E that judges hits: ranks, fits of their scores, corrections for composition, shuffled regions."""
