"""Whether a hit is more than chance, in words: from numbers to one sentence for a hit and one for a query."""
