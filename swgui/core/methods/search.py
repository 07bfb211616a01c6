"""The ways of searching a database on a GPU: names, papers and settings. Facts only; the engine does the work."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from swgui.core.errors import InvalidParameter
from swgui.core.methods.base import AUTO, Method, Setting

DEFAULT_METHOD: Final = "streaming"
CUDASW: Final = "cudasw2"
SHORT_QUERY: Final = "short_query_shared_memory"
LIGOWSKI: Final = "ligowski_rudnicki"

# Key of a paper: authors, title, where and when it appeared.
PAPERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        CUDASW: (
            "Y. Liu, B. Schmidt, D. L. Maskell: CUDASW++2.0: enhanced Smith-Waterman protein database search on "
            "CUDA-enabled GPUs based on SIMT and virtualized SIMD abstractions. BMC Research Notes 3:93 (2010)"
        ),
        SHORT_QUERY: (
            "L.-T. Huang, C.-C. Wu, L.-F. Lai, Y.-J. Li: Improving the mapping of Smith-Waterman sequence database "
            "searches onto CUDA-enabled GPUs. BioMed Research International 2015:185179 (2015)"
        ),
        LIGOWSKI: (
            "L. Ligowski, W. Rudnicki: An efficient implementation of Smith Waterman algorithm on GPU using CUDA, "
            "for massively parallel scanning of sequence databases. IEEE IPDPS Workshops (2009)"
        ),
    }
)

_THREADS = Setting(
    "threads",
    "Threads per block",
    "threads",
    "More hide waiting better, until registers or shared memory run out.",
    (32, 64, 96, 128, 192, 256, 384, 512, 768, 1024),
    32,
    1024,
    step=32,
)
_BLOCKS = Setting(
    "blocks",
    "Blocks per multiprocessor",
    "blocks",
    "Blocks launched for each multiprocessor; those that find no room wait for others to end.",
    (1, 2, 3, 4, 6, 8, 12, 16, 24, 32),
    1,
    64,
)
_GRID = Setting(
    "grid",
    "Blocks in all",
    "blocks",
    "Blocks of one launch, instead of so many per multiprocessor.",
    (16, 32, 64, 96, 128, 192, 256, 384, 512, 1024),
    1,
    65_535,
)
_THRESHOLD = Setting(
    "threshold",
    "Length threshold",
    "residues",
    "Subjects longer than this are scored by one block of threads each (method intra).",
    (256, 512, 768, 1024, 2048, 3072, 6144),
    1,
    1_000_000_000,
)
_SUBJECTS = Setting(
    "subjects",
    "Subjects per thread",
    "subjects",
    "1: one score of 32 bits per register, as published; 2: two of 16 bits, rescored in 32 bits if they overflow.",
    (1, 2),
    1,
    2,
)
_ROWS = Setting(
    "rows",
    "Rows per thread",
    "rows",
    "Query residues that a thread keeps in registers.",
    (4, 8, 12, 16, 24, 32),
    4,
    32,
    step=4,
)
_VECTOR = Setting(
    "vector", "Vector length VL", "threads", "Threads that act as one vector.", (4, 8, 16, 32), 4, 32, listed=True
)
_PARTITION = Setting(
    "partition",
    "Partition length PL",
    "residues",
    "Query residues per partition: 4 to 32 for each thread of the vector, in multiples of 4.",
    (64, 128, 256, 512, 1024),
    16,
    1024,
    step=16,
)
_K = Setting("k", "Tile width K", "columns", "Subject residues per tile.", (4, 8, 12, 16), 4, 16, step=4)
_P = Setting("p", "Tile height P", "rows", "Query residues per tile.", (4, 8, 16), 4, 32, step=4)
_BAND = Setting(
    "band",
    "Band height",
    "rows",
    "Query residues per sweep over the subject; 12 in the paper.",
    (4, 8, 12, 16, 24, 32),
    4,
    32,
    step=4,
)
_CHUNK = Setting(
    "chunk",
    "Chunk size",
    "million residues",
    "Residues of the database per launch.",
    (1, 2, 4, 8, 16, 32, 64, 128, 256),
    1,
    100_000,
)
_PINNED = Setting(
    "pinned", "Page-locked memory", "", "Host memory of transfers: page-locked or ordinary.", names=("on", "off")
)
_STREAMS = Setting(
    "streams",
    "Streams",
    "streams",
    "Chunks under way at once: the next begins while the last blocks of one finish.",
    (1, 2, 3, 4, 6, 8),
    1,
    16,
)
_LANES = Setting(
    "lanes", "Lanes per group", "threads", "Threads that hold the query together.", (4, 8, 16, 32), 4, 32, listed=True
)
_ROWS_PER_LANE = Setting(
    "rows",
    "Rows per lane",
    "rows",
    "Query residues that a thread keeps in registers.",
    (4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60),
    2,
    60,
)
_GROUP_THREADS = Setting(
    "threads",
    "Threads per block",
    "threads",
    "One block runs on each multiprocessor.",
    (128, 192, 256, 384, 512),
    64,
    512,
    step=32,
)

_TRANSFER = (_CHUNK, _PINNED, _STREAMS)
_LAUNCH = (_SUBJECTS, _THREADS, _BLOCKS, _GRID)

SEARCH_METHODS: Final[Mapping[str, Method]] = MappingProxyType(
    {
        method.name: method
        for method in (
            Method(
                "streaming",
                "Streaming",
                "",
                "The program's own kernel: two alignments per register, subjects without a gap between them.",
                (_LANES, _ROWS_PER_LANE, _GROUP_THREADS, *_TRANSFER),
            ),
            Method(
                "simt",
                "One thread per subject",
                CUDASW,
                "One thread per subject, cell blocks of 8 x 4, H and F below each block of rows in global memory.",
                (_ROWS, _THRESHOLD, *_LAUNCH, *_TRANSFER),
            ),
            Method(
                "vsimd",
                "Partitioned vectorized",
                CUDASW,
                "Half a warp as one vector, striped query partitions in registers, F corrected until a vote is passed.",
                (_VECTOR, _PARTITION, _THRESHOLD, *_LAUNCH, *_TRANSFER),
            ),
            Method(
                "intra",
                "One block per subject",
                CUDASW,
                "All threads of a block on the anti-diagonals of one subject.",
                (_ROWS, *_LAUNCH, *_TRANSFER),
            ),
            Method(
                "shared",
                "Shared-memory tiles",
                SHORT_QUERY,
                "One thread per subject, tiles of K x P in column order, the column between tiles in shared memory "
                "only; for short queries.",
                (_K, _P, _THRESHOLD, *_LAUNCH, *_TRANSFER),
            ),
            Method(
                "band",
                "Horizontal bands",
                LIGOWSKI,
                "One thread per subject, bands of 12 rows swept over the subject, two global transactions per column.",
                (_BAND, _THRESHOLD, *_LAUNCH, *_TRANSFER),
            ),
        )
    }
)


def search_method(name: str) -> Method:
    """Return a method by name; ``auto`` is the program's own.

    Raises
    ------
    InvalidParameter
        If there is no such method.
    """
    chosen = DEFAULT_METHOD if name == AUTO else name
    if chosen not in SEARCH_METHODS:
        raise InvalidParameter(
            "method",
            name,
            f"There is no search method '{name}'.",
            hint=f"Choose {', '.join((AUTO, *SEARCH_METHODS))}.",
        )
    return SEARCH_METHODS[chosen]
