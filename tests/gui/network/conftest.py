"""Sequences that the tests of the Network page compare."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

LETTERS = "ARNDCQEGHILKMFPSTWYV"


@pytest.fixture
def fasta(tmp_path: Path) -> Path:
    """Return three families of four, of two organisms, and a sequence that is alone."""
    rng = np.random.default_rng(5)
    lines = []
    for family in range(3):
        mother = rng.choice(list(LETTERS), 90)
        for member in range(4):
            own = mother.copy()
            changed = rng.random(90) < 0.08 * member
            own[changed] = rng.choice(list(LETTERS), int(changed.sum()))
            organism = "Homo sapiens" if member % 2 else "Mus musculus"
            lines.append(f">sp|P0000{family}{member}|F{family}_X Thing OS={organism} OX=1\n{''.join(own)}\n")
    lines.append(">alone\n" + "".join(rng.choice(list(LETTERS), 60)) + "\n")
    path = tmp_path / "families.fa"
    path.write_text("".join(lines))
    return path
