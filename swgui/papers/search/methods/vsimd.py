"""A vector of threads per subject: the query in striped partitions, a column at a time, F set right afterwards.

Y. Liu, B. Schmidt, D. L. Maskell: CUDASW++2.0, BMC Research Notes 3:93 (2010), section "Partitioned vectorized
Smith-Waterman algorithm"; the kernel is ``kernels/papers/vsimd.cu``. VL threads, half a warp in the paper, are one
vector, and a partition of the query has PL rows, PL / VL for each thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.engines.cuda.intra import UNIT_ROWS
from swgui.papers.search import figures
from swgui.papers.search.method import PublishedMethod, Task
from swgui.papers.search.variants import MethodVariant


class Vectors(PublishedMethod):
    """Several threads hold a partition together."""

    def shape(self, task: Task) -> tuple[int, dict[str, int]]:
        """Return threads, vector and partition; of equal estimates the paper's vector."""
        given = task.given
        candidates = [
            (max(1, -(-task.length // partition)) * partition * cost, order, vector, partition)
            for order, vector in enumerate((given["vector"],) if "vector" in given else figures.VECTORS)
            for rows, cost in figures.VECTOR_COST.items()
            for partition in (vector * rows,)
            if partition == given.get("partition", partition)
        ]
        threads = given.get("threads", self.launch[0])
        if not candidates:  # what is asked for does not go together
            return threads, {"vector": given.get("vector", figures.VECTORS[0]), "partition": given["partition"]}
        _, _, vector, partition = min(candidates)
        return threads, {"vector": vector, "partition": partition}

    def fault(self, tile: Mapping[str, int]) -> str:
        """Say if a partition does not divide by its vector."""
        vector, partition = tile["vector"], tile["partition"]
        if partition % (4 * vector) or not 4 <= partition // vector <= 32:
            return (
                f"A partition of {partition} residues cannot lie on a vector of {vector} threads: "
                f"each thread takes 4 to 32 rows, in multiples of 4."
            )
        return ""

    def height(self, variant: MethodVariant) -> int:
        """Return the length of a partition."""
        return variant.of("partition")

    def defines(self, variant: MethodVariant) -> dict[str, int]:
        """Return VL and the rows of a thread."""
        return {"VECTOR": variant.of("vector"), "ROWS": variant.of("partition") // variant.of("vector")}

    def threads_per_subject(self, variant: MethodVariant) -> int:
        """Return VL."""
        return variant.of("vector")

    def arrange(self, profile: NDArray[np.int16], variant: MethodVariant) -> NDArray[np.int16]:
        """Return the striped profile: step by step, the units of all threads of a vector side by side."""
        vector = variant.of("vector")
        per_thread = variant.of("partition") // vector // UNIT_ROWS
        striped = profile.reshape(-1, vector, per_thread, UNIT_ROWS, profile.shape[1])
        return striped.transpose(0, 4, 2, 1, 3)


METHOD: Final = Vectors("vsimd")
