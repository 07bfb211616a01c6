"""The methods of five papers: names, papers and settings. Facts only; `swgui.core.methods` names this module."""

from __future__ import annotations

from typing import Final

from swgui.core.methods.base import TRANSFER, Method, MethodSet, Setting

CUDASW: Final = (
    "Y. Liu, B. Schmidt, D. L. Maskell: CUDASW++2.0: enhanced Smith-Waterman protein database search on "
    "CUDA-enabled GPUs based on SIMT and virtualized SIMD abstractions. BMC Research Notes 3:93 (2010)"
)
SHORT_QUERY: Final = (
    "L.-T. Huang, C.-C. Wu, L.-F. Lai, Y.-J. Li: Improving the mapping of Smith-Waterman sequence database "
    "searches onto CUDA-enabled GPUs. BioMed Research International 2015:185179 (2015)"
)
LIGOWSKI: Final = (
    "L. Ligowski, W. Rudnicki: An efficient implementation of Smith Waterman algorithm on GPU using CUDA, "
    "for massively parallel scanning of sequence databases. IEEE IPDPS Workshops (2009)"
)
VERY_LONG: Final = (
    "J. Li, S. Ranka, S. Sahni: Pairwise sequence alignment for very long sequences on GPUs. "
    "IEEE International Conference on Computational Advances in Bio and Medical Sciences (2012)"
)
TILING: Final = "A study of tiling with dynamic and concurrent kernels for pairwise Smith-Waterman alignment on GPUs"

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
    "Blocks of one launch, instead of a number per multiprocessor.",
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
_LAUNCH = (_SUBJECTS, _THREADS, _BLOCKS, _GRID)

# One long pair.
_STRIP = Setting(
    "strip",
    "Strip width s",
    "columns",
    "Columns of the score matrix that one block of threads holds.",
    values=(64, 128, 256, 512, 1024, 1900),
    minimum=32,
    maximum=4096,
)
_CHUNK = Setting(
    "chunk",
    "Chunk height h",
    "rows",
    "Rows between two saved rows of the score matrix.",
    values=(64, 128, 256, 512),
    minimum=8,
    maximum=65_536,
    step=4,
)
_STEP = Setting(
    "threshold",
    "Threshold T",
    "rows",
    "Rows of a strip's border column that are handed to the next strip at once.",
    values=(16, 32, 64, 128),
    minimum=8,
    maximum=256,
    step=4,
)
_TILE = Setting(
    "tile",
    "Tile size t",
    "residues",
    "Rows and columns of one tile of the score matrix.",
    values=(1024, 2048, 4096, 8192, 16_384, 32_768, 65_536),
    minimum=128,
    maximum=65_536,
    step=128,
)
_LAUNCHES = Setting(
    "launch", "Launches", "", "How the anti-diagonals of tiles are launched.", names=("streams", "dynamic", "graph")
)
_HOST = Setting("host_memory", "Host memory", "", "Buffers the device copies from.", names=("pinned", "pageable"))

_SEARCH: Final = "swgui.papers.search.search"
_STRIPED: Final = "swgui.papers.striped.engine"

METHODS: Final = MethodSet(
    search=(
        Method(
            "simt",
            "One thread per subject",
            CUDASW,
            "One thread per subject, cell blocks of 8 x 4, H and F below each block of rows in global memory.",
            (_ROWS, _THRESHOLD, *_LAUNCH, *TRANSFER),
            _SEARCH,
        ),
        Method(
            "vsimd",
            "Partitioned vectorized",
            CUDASW,
            "Half a warp as one vector, striped query partitions in registers, F corrected until a vote is passed.",
            (_VECTOR, _PARTITION, _THRESHOLD, *_LAUNCH, *TRANSFER),
            _SEARCH,
        ),
        Method(
            "intra",
            "One block per subject",
            CUDASW,
            "All threads of a block on the anti-diagonals of one subject.",
            (_ROWS, *_LAUNCH, *TRANSFER),
            _SEARCH,
        ),
        Method(
            "shared",
            "Shared-memory tiles",
            SHORT_QUERY,
            "One thread per subject, tiles of K x P in column order, the column between tiles in shared memory "
            "only; for short queries.",
            (_K, _P, _THRESHOLD, *_LAUNCH, *TRANSFER),
            _SEARCH,
        ),
        Method(
            "band",
            "Horizontal bands",
            LIGOWSKI,
            "One thread per subject, bands of 12 rows swept over the subject, two global transactions per column.",
            (_BAND, _THRESHOLD, *_LAUNCH, *TRANSFER),
            _SEARCH,
        ),
    ),
    pair=(
        Method(
            "striped-score",
            "Striped score",
            VERY_LONG,
            "Strips over all multiprocessors, one launch; score only.",
            (_STRIP, _STEP),
            _STRIPED,
        ),
        Method(
            "striped-align",
            "Striped alignment",
            VERY_LONG,
            "Start states, then all strips of the path at once.",
            (_STRIP, _STEP),
            _STRIPED,
        ),
        Method(
            "chunked-align-1",
            "Chunked alignment 1",
            VERY_LONG,
            "Saved rows, then the path in each strip from the chunk it begins in.",
            (_STRIP, _CHUNK, _STEP),
            _STRIPED,
        ),
        Method(
            "chunked-align-2",
            "Chunked alignment 2",
            VERY_LONG,
            "Start states in rows and columns, then all chunks of the path at once.",
            (_STRIP, _CHUNK, _STEP),
            _STRIPED,
        ),
        Method(
            "tiled",
            "Tiles",
            TILING,
            "Tiles along anti-diagonals; pairs up to 64 kb.",
            (_TILE, _LAUNCHES, _HOST),
            "swgui.papers.tiled.engine",
        ),
    ),
)
