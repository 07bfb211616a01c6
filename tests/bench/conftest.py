"""What benchmarks share with the engines' tests."""

from tests.engines.conftest import protein_scheme

__all__ = ["protein_scheme"]
