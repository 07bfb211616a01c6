"""What a published method uses for one query on one card: what the user set, and a choice for everything else.

Pure functions. A method that cannot do what is asked says why (`Choice.fallback`), and the engine's own
kernel does it instead; nothing else is ever refused here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from swgui.core.methods.base import AUTO
from swgui.core.methods.search import SEARCH_METHODS
from swgui.engines.cuda.published.variants import CELL_BYTES, WARP, Arithmetic, MethodVariant, plan_arithmetic

REGISTERS: Final = 65_536  # of a multiprocessor
SPARE_REGISTERS: Final = 40  # a thread is never left fewer
LONGEST_ALONE: Final = 3_072  # residues: the length threshold of the paper
SHORTEST_ALONE: Final = 384
SHARE_ALONE: Final = 0.6  # of a search that one thread may take for its longest subject
AUTO_STREAMS: Final = 3

# Threads per block and blocks per multiprocessor where nothing is set: the best of those tried on an H200.
LAUNCH: Final[Mapping[str, tuple[int, int]]] = {
    "simt": (128, 3),
    "vsimd": (192, 4),
    "band": (256, 2),
}
# What a sweep over a subject costs beside its rows, in rows, for the heights an automatic choice considers.
SWEEP_COST: Final[Mapping[str, tuple[str, float, tuple[int, ...]]]] = {
    "simt": ("rows", 2.5, (4, 8, 12, 16, 24, 32)),
    "band": ("band", 4.0, (4, 8, 12, 16, 24, 32)),
    "shared": ("p", 1.0, (4, 8, 16)),
}
# Rows per thread of a vector, and the time of a row in comparison with the best; few rows mean many votes, many
# rows few threads.
VECTOR_COST: Final[Mapping[int, float]] = {8: 1.5, 12: 1.25, 16: 1.06, 20: 1.0, 24: 1.0, 28: 1.1, 32: 1.25}
VECTORS: Final = (16, 8, 32, 4)  # the paper's first: of equal ones it is taken
SHARED_COLUMNS: Final = 8  # K
BAND_WITHOUT_DPX: Final = 12  # rows: the paper's
INTRA_THREADS: Final = (32, 64, 128, 256)
INTRA_ROWS: Final = (4, 8, 12, 16)
FULL_THREADS: Final = 256  # threads of `intra` that keep a multiprocessor busy
FEW: Final = 64  # subjects that overflow 16 bits, as a guess
SHARED_THREADS: Final = 512  # threads per multiprocessor that `shared` tries to have


@dataclass(frozen=True, slots=True)
class CardLimits:
    """What a choice depends on.

    Parameters
    ----------
    multiprocessors : int
    shared_limit : int
        Bytes of shared memory a block may have.
    threads : int
        Threads that a multiprocessor can hold.
    dpx : bool
        Whether fused 16-bit instructions are to be used.
    """

    multiprocessors: int
    shared_limit: int
    threads: int
    dpx: bool


@dataclass(frozen=True, slots=True)
class Scheme:
    """What decides how scores are computed: alphabet, gap costs and the highest score of a pair of residues."""

    letters: int
    gap_first: int
    gap_extend: int
    highest: int


@dataclass(frozen=True, slots=True)
class Choice:
    """How one query will be scored.

    Parameters
    ----------
    method : str
    variant : MethodVariant
        Of the method's own kernel.
    blocks : int
        Blocks per multiprocessor, 0 if `grid` was set.
    grid : int
        Blocks of a launch at most.
    threshold : int
        Longer subjects go to `long`; 0 leaves it to the database.
    long : MethodVariant
        For long subjects, if there are many of them (else `long_variant`).
    exact : MethodVariant
        For subjects that overflow 16 bits.
    streams : int
    remarks : tuple of str
        What the user should know.
    fallback : str
        Why the method cannot do it; empty if it can.
    """

    method: str
    variant: MethodVariant
    blocks: int
    grid: int
    threshold: int
    long: MethodVariant
    exact: MethodVariant
    streams: int
    remarks: tuple[str, ...] = ()
    fallback: str = ""

    @property
    def settings(self) -> dict[str, str]:
        """Every setting of the method that has to do with a launch, and the value in use."""
        values: dict[str, str] = {name: str(value) for name, value in self.variant.tile}
        if self.method != "intra":
            values["threshold"] = str(self.threshold) if self.threshold else f"{AUTO}: {LONGEST_ALONE} at most"
        values["subjects"] = str(self.variant.arithmetic.subjects)
        values["threads"] = str(self.variant.threads)
        if self.blocks:
            values["blocks"] = str(self.blocks)
        values["grid"] = str(self.grid)
        values["streams"] = str(self.streams)
        return {one.name: values[one.name] for one in SEARCH_METHODS[self.method].settings if one.name in values}

    def threshold_for(self, residues: int) -> int:
        """Return the length above which a subject gets a block of its own.

        A thread that scores a long subject must not outlast all others: it may take `SHARE_ALONE` of what
        each thread gets.

        Parameters
        ----------
        residues : int
            Of all subjects that are scored at the same time.
        """
        if self.threshold:
            return self.threshold
        variant = self.variant
        subjects = self.grid * variant.threads * variant.arithmetic.subjects
        if self.method == "vsimd":
            subjects //= variant.of("vector")
        return max(SHORTEST_ALONE, min(LONGEST_ALONE, int(SHARE_ALONE * residues / max(subjects, 1))))


def choose(method: str, settings: Mapping[str, str], length: int, scheme: Scheme, card: CardLimits) -> Choice:
    """Choose everything that the settings leave open.

    Parameters
    ----------
    method : str
        One of `SEARCH_METHODS` except the engine's own.
    settings : Mapping[str, str]
        Already checked by `Method.check`.
    length : int
        Residues of the query.
    scheme : Scheme
    card : CardLimits
    """
    given = {name: int(value) for name, value in settings.items() if value not in (AUTO, "on", "off")}
    remarks: list[str] = []
    arithmetic = _arithmetic(given.get("subjects", 0), scheme, card, remarks)
    threads, tile = _shape(method, given, length, arithmetic, card)
    fallback = _check_tile(method, tile)
    if "blocks" in given:
        blocks = given["blocks"]
    elif method in LAUNCH:
        blocks = max(1, LAUNCH[method][0] * LAUNCH[method][1] // threads)
    else:
        blocks = _fitting(card, threads, _shared(method, arithmetic, threads, tile, length))
    grid = given.get("grid", 0)
    variant = _variant(
        method, arithmetic, threads, max(1, -(-grid // card.multiprocessors)) if grid else blocks, tile, card
    )
    needed = variant.shared_bytes(length)
    if not fallback and needed > card.shared_limit:
        fallback = _too_large(method, variant, length, needed, card)
    exact = plan_arithmetic(1, scheme.letters, scheme.gap_first, scheme.gap_extend, scheme.highest, dpx=card.dpx)
    assert exact is not None, "32 bits hold every scheme"
    return Choice(
        method,
        variant,
        0 if grid else blocks,
        grid or blocks * card.multiprocessors,
        given.get("threshold", 0),
        variant if method == "intra" else long_variant(length, arithmetic, card),
        long_variant(length, exact, card, FEW),
        given.get("streams", AUTO_STREAMS),
        tuple(remarks),
        fallback,
    )


def _arithmetic(wanted: int, scheme: Scheme, card: CardLimits, remarks: list[str]) -> Arithmetic:
    for subjects in (wanted or (2 if card.dpx else 1), 1):
        planned = plan_arithmetic(
            subjects, scheme.letters, scheme.gap_first, scheme.gap_extend, scheme.highest, dpx=card.dpx
        )
        if planned is not None:
            return planned
        remarks.append(
            f"Scores of up to {scheme.highest} leave 16 bits too little room: one subject per thread, 32 bits."
        )
    raise AssertionError("32 bits hold every scheme")


def _shape(
    method: str, given: Mapping[str, int], length: int, arithmetic: Arithmetic, card: CardLimits
) -> tuple[int, dict[str, int]]:
    """Return threads per block and the constants of the kernel's tile: those given, the others by estimate."""
    threads = given.get("threads", LAUNCH[method][0] if method in LAUNCH else 0)
    if method == "intra":
        threads, rows = _intra_shape(length, card, arithmetic, threads, given.get("rows", 0))
        return threads, {"rows": rows}
    if method == "vsimd":
        return threads, _vector_tile(length, given)
    name, cost, heights = SWEEP_COST[method]
    tile = {"k": given.get("k", SHARED_COLUMNS)} if method == "shared" else {}

    def estimate(height: int) -> tuple[bool, float]:
        needed = _shared(method, arithmetic, threads or WARP, {**tile, name: height}, length)
        return needed > card.shared_limit, max(1, -(-length // height)) * (height + cost)

    if method == "band" and not card.dpx:  # without fused instructions the registers hold no more rows
        heights = tuple(height for height in heights if height <= BAND_WITHOUT_DPX)
    tile[name] = given.get(name) or min(heights, key=estimate)
    return threads or _shared_threads(length, tile[name], card), tile


def _vector_tile(length: int, given: Mapping[str, int]) -> dict[str, int]:
    vectors = (given["vector"],) if "vector" in given else VECTORS
    candidates = [
        (max(1, -(-length // partition)) * partition * cost, order, vector, partition)
        for order, vector in enumerate(vectors)
        for rows, cost in VECTOR_COST.items()
        for partition in (vector * rows,)
        if partition == given.get("partition", partition)
    ]
    if not candidates:  # what is asked for does not go together
        return {"vector": given.get("vector", VECTORS[0]), "partition": given["partition"]}
    _, _, vector, partition = min(candidates)
    return {"vector": vector, "partition": partition}


def _check_tile(method: str, tile: Mapping[str, int]) -> str:
    if method != "vsimd":
        return ""
    vector, partition = tile["vector"], tile["partition"]
    if partition % (4 * vector) or not 4 <= partition // vector <= 32:
        return (
            f"A partition of {partition} residues cannot lie on a vector of {vector} threads: "
            f"each thread takes 4 to 32 rows, in multiples of 4."
        )
    return ""


def _variant(
    kernel: str, arithmetic: Arithmetic, threads: int, blocks: int, tile: Mapping[str, int], card: CardLimits
) -> MethodVariant:
    # Registers are left for as many blocks as are wanted, but never fewer than a kernel can do with.
    resident = min(card.threads, REGISTERS // SPARE_REGISTERS)
    min_blocks = max(1, min(blocks, resident // threads))
    return MethodVariant(kernel, arithmetic, threads, min_blocks, tuple(sorted(tile.items())))


def _shared(method: str, arithmetic: Arithmetic, threads: int, tile: Mapping[str, int], length: int) -> int:
    return MethodVariant(method, arithmetic, threads, 1, tuple(sorted(tile.items()))).shared_bytes(length)


def _fitting(card: CardLimits, threads: int, shared_bytes: int) -> int:
    """Blocks that a multiprocessor can hold, up to about as many threads as keep it busy."""
    by_memory = card.shared_limit // (shared_bytes + 1024)  # the system keeps a KiB of each block's for itself
    return max(1, min(by_memory, SHARED_THREADS // threads, 16))


def _shared_threads(length: int, height: int, card: CardLimits) -> int:
    """Threads per block for `shared`: as many as shared memory allows, in two blocks if there are many."""
    rows = -(-max(length, 1) // height) * height
    allowed = min(card.shared_limit // (CELL_BYTES * rows), SHARED_THREADS) // WARP * WARP
    if allowed >= 4 * WARP:
        allowed = allowed // 2 // WARP * WARP
    return max(allowed, WARP)


def _intra_shape(
    length: int, card: CardLimits, arithmetic: Arithmetic, threads: int, rows: int, least: int = WARP
) -> tuple[int, int]:
    """Threads per block and rows per thread of `intra` with the least estimated time.

    A strip of the query takes as many steps as the subject has blocks of four columns, plus one for each
    thread before the last gets its first; a step costs its rows and about six rows' worth of waiting.
    """
    best: tuple[float, int, int] | None = None
    for many in (threads,) if threads else INTRA_THREADS:
        for high in (rows,) if rows else INTRA_ROWS:
            needed = _shared("intra", arithmetic, many, {"rows": high}, length)
            if needed > card.shared_limit and not (threads and rows):
                continue
            used = min(many, -(-length // high))  # threads that have rows
            strips = max(1, -(-length // (many * high)))
            together = max(1, many / least)  # more threads than are needed to fill the card cost their time
            time = strips * together * (high + 6) * (300 + used)
            if best is None or time < best[0]:
                best = time, many, high
    if best is None:
        return threads or WARP, rows or INTRA_ROWS[0]
    return best[1], best[2]


def long_variant(length: int, arithmetic: Arithmetic, card: CardLimits, subjects: int = 0) -> MethodVariant:
    """Return the variant of `intra` for long subjects.

    Parameters
    ----------
    subjects : int
        How many there are: few of them get more threads each; 0 for many.
    """
    least = WARP
    while subjects and least < INTRA_THREADS[-1] and least * subjects < FULL_THREADS * card.multiprocessors:
        least *= 2
    threads, rows = _intra_shape(length, card, arithmetic, 0, 0, least)
    shared_bytes = _shared("intra", arithmetic, threads, {"rows": rows}, length)
    return _variant("intra", arithmetic, threads, _fitting(card, threads, shared_bytes), {"rows": rows}, card)


def _too_large(method: str, variant: MethodVariant, length: int, needed: int, card: CardLimits) -> str:
    if method == "shared":
        return (
            f"X >= T x Q does not hold: {variant.threads} threads x {variant.rows(length)} query rows x "
            f"{CELL_BYTES} bytes are {needed:,} bytes, and a block has {card.shared_limit:,} on this card."
        )
    return (
        f"A block would need {needed:,} bytes of shared memory, and has {card.shared_limit:,} on this card: "
        f"fewer threads or rows fit."
    )
