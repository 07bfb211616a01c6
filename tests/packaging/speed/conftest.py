"""Fixtures that benchmarks share with the engines' tests, and their places."""

import sys
from pathlib import Path

from tests.engines.conftest import protein_scheme

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "packaging" / "measuring"))

__all__ = ["protein_scheme"]
