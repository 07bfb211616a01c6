"""How each rule is scanned, its controls are planted, and its places are checked again."""
