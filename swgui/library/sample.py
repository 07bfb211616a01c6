"""``swgui.sample``."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from swgui.paths import resources_dir


class Sample(NamedTuple):
    """The sample that ships: 42 proteins of known families, and a database of them and 4,958 simulated ones."""

    queries: Path
    database: Path


def sample() -> Sample:
    """Return where the sample lies: ``queries, database = swgui.sample()``."""
    examples = resources_dir() / "examples"
    return Sample(examples / "sample_proteins.fasta", examples / "sample_database.fasta.gz")
