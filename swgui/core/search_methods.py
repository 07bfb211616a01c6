"""The ways of searching a database on a GPU: names, papers and settings. Facts only; the engine does the work."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from swgui.core.methods import Method

SEARCH_METHODS: Final[Mapping[str, Method]] = MappingProxyType(
    {
        method.name: method
        for method in (
            Method("streaming", "Streaming", "", "The program's own kernel: two alignments per register, no draining."),
        )
    }
)
