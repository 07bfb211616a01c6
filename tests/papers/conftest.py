"""Fixtures that methods of papers share with the engines' tests."""

from tests.engines.conftest import dna_scheme, protein_scheme

__all__ = ["dna_scheme", "protein_scheme"]
