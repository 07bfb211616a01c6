"""Places on annotated sequences: features by position, and the sentence on where a place lies among them."""
