"""Benchmarks behind ``swgui bench``: speed of the engines on real data, as a table and as JSON."""

from __future__ import annotations

from swgui.bench.command import main

__all__ = ["main"]
