"""A small library of contexts, in a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from swgui.core.profiles.context import RESIDUES, WINDOW


def save_forty(path: Path) -> str:
    """Write a library of two states for each residue, which the residues around choose; returns its name."""
    rng = np.random.default_rng(11)
    of = np.arange(40) % len(RESIDUES)
    columns = 0.6 * np.eye(len(RESIDUES))[of] + 0.4 * rng.dirichlet(np.full(len(RESIDUES), 0.5), 40)
    weights = rng.normal(0, 0.5, (40, WINDOW, len(RESIDUES)))
    weights[np.arange(40), WINDOW // 2, of] += 8
    background = columns.mean(axis=0)
    np.savez(path, weights=weights, bias=rng.normal(0, 1, 40), columns=columns, background=background, scale=1.0)
    return str(path)
