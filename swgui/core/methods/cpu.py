"""Settings of the engines that score on the CPU."""

from __future__ import annotations

from typing import Final

from swgui.core.methods.base import Setting

THREADS: Final = "threads"  # of the CPU; engines take it from their options, not from their settings
CPU_SETTINGS: Final = (
    Setting(THREADS, "Threads", "threads", "Threads that score at the same time; one per core is usual.", (1,), 1, 512),
    Setting(
        "chunk_residues",
        "Residues per chunk",
        "residues",
        "How much of the database is handed out at once: larger chunks cost less, smaller ones end together.",
        (20_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000),
        1,
        1_000_000_000,
    ),
)
