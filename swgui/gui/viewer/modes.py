"""The views of an alignment: name, title and tip of each, in the order of their buttons."""

from __future__ import annotations

from typing import Final

COLOURED: Final = ("pair", "stacked", "family")  # views of residues in colours
MODES: Final = (
    ("pair", "Pair", "Query and subject, wrapped to the width"),
    ("stacked", "Stacked", "Many subjects below the query"),
    ("dots", "Dot plot", "All similar stretches of query and subject"),
    ("path", "Path", "The alignment in the scoring matrix"),
    ("text", "Text", "The alignment as plain text"),
    ("shape", "Shape", "Query and subject in space, laid on each other"),
    ("family", "Family", "All included sequences aligned with the query, and what they have in common"),
    ("frames", "Frames", "Alignments in the six frames of the DNA, with its stop codons"),
)
