"""``--pairs``: every method for one long pair, with the times of the papers for comparison.

All methods must give the same score and the same end of each pair; a benchmark that finds otherwise stops.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from speed.common import PROGRAM, positive, refuse, refuse_without_gpu, save_text
from speed.data import DATA_DEFAULT, DATA_VARIABLE, DataMissing, data_files, data_folder, nucleotide_scheme
from speed.document import document
from speed.pairs.measure import Pair, PairTime, artificial_pair, genome_pair, time_pair, unrelated_pair
from speed.pairs.published import (
    ALIGN_SIZES,
    ALIGN_WIDTHS,
    C2050,
    HEIGHTS,
    SCORE_SIZES,
    SCORE_WIDTHS,
    SQUARES,
    TABLE_4,
    published,
)
from swgui.commands.parser import Parser
from swgui.core import words
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, InvalidParameter, OutOfDeviceMemory, SwguiError
from swgui.core.methods.pair import CPU_METHOD, PAIR_METHODS
from swgui.core.pair.problem import PairEnd
from swgui.core.scoring import ScoringScheme, match_mismatch
from swgui.engines.facts import GPU
from swgui.engines.pair.registry import resolve_method
from swgui.engines.registry import probe
from swgui.io.outputs import check_outputs

WORD: Final = "--pairs"
OWN: Final = "wavefront"
QUICK_SIZE: Final = (200_000, 200_000)  # of a pair that several devices share
LARGE_SIZE: Final = (1_000_000, 1_000_000)
LARGE_GENOMES: Final = "K-12 x Sakai"
WIDE: Final = ("striped-score", "striped-align", "chunked-align-1", "chunked-align-2")  # have strip widths
ONCE_FROM: Final = 1e11  # cells of a pair that is aligned once only
TILE_LENGTHS: Final = (8, 10, 12, 32, 64)  # KB
UNRELATED: Final = (10_000, 100_000, 200_000, 400_000, 1_000_000)
TILE_SIZES: Final = (1024, 2048, 4096, 8192, 16_384, 32_768, 65_536)
# Query and subject of each pair of genomes, in the folder's dna.
GENOMES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "mitochondria": ("MT-human.fa", "MT-chimp.fa"),
        "chloroplasts": ("NC_020316.1.fa.gz", "NC_020317.1.fa.gz"),
        "500 kb": ("shew_os185.fa.gz", "shew_os223.fa.gz"),
        "1.2 Mb": ("mycoplasma_GCF_000800785.fna.gz", "mycoplasma_GCF_000959055.fna.gz"),
        "K-12 x Sakai": ("GCF_000005845.2_ASM584v2_genomic.fna.gz", "NC_002695.fna.gz"),
    }
)


@dataclass(frozen=True)
class Bench:
    """Settings of all parts.

    Parameters
    ----------
    folder : Path
    devices : tuple of str
    repeats : int
    methods : tuple of str
    quick : bool
        Only the smallest of everything.
    ends : dict
        Score and end of each pair, as the first method found it.
    """

    folder: Path
    devices: tuple[str, ...]
    repeats: int
    methods: tuple[str, ...]
    quick: bool
    ends: dict[tuple[str, str], PairEnd] = field(default_factory=dict)

    def time(
        self,
        part: str,
        pair: Pair,
        method: str,
        settings: Mapping[str, str],
        *,
        aligned: bool,
        scheme: ScoringScheme | None = None,
        published_ms: float | None = None,
        devices: tuple[str, ...] = (),
        once_from: float = ONCE_FROM,
    ) -> PairTime:
        """Time one method, on the benchmark's devices or others; the line says why not, if it cannot do the pair.

        Raises
        ------
        EngineFault
            If it gives another score or end than a method before.
        """
        chosen = scheme or nucleotide_scheme()
        options = EngineOptions(devices or self.devices, settings=settings)
        line = (part, pair.name, *pair.size, method, aligned)
        # The first run of the own method compiles for up to two seconds, which must not count.
        repeats = self.repeats if pair.cells < once_from else int(method == OWN)
        try:
            run = time_pair(pair, chosen, method, options, aligned=aligned, repeats=repeats)
        except (InvalidParameter, OutOfDeviceMemory) as error:
            return PairTime(*line, settings, problem=error.message, published_ms=published_ms)
        expected = self.ends.setdefault((pair.name, chosen.describe()), run.end)
        if run.end != expected:
            raise EngineFault(f"The method '{method}' gives {run.end} for {pair.name}, not {expected}.")
        return PairTime(
            *line,
            settings=run.settings,
            seconds=run.seconds,
            phases=run.phases,
            memory_bytes=run.memory_bytes,
            score=run.end.score,
            published_ms=published_ms,
            devices=run.devices,
        )


def time_scores(bench: Bench) -> Iterator[PairTime]:
    """Time scores and alignments of the paper's sizes, for every strip width."""
    sizes = (*SCORE_SIZES, *SQUARES)
    for size in sizes[:1] + sizes[5:6] if bench.quick else sizes:
        pair = artificial_pair(*size)
        for method in bench.methods:
            aligned = method != "striped-score"
            widths = ("auto", *map(str, SCORE_WIDTHS)) if method in WIDE else ("auto",)
            for width in ("auto", "256") if bench.quick and method in WIDE else widths:
                paper = published(method, size, int(width)) if width.isdecimal() else None
                settings = {"strip": width} if width != "auto" else {}
                yield bench.time("sizes", pair, method, settings, aligned=aligned, published_ms=paper)
            if method == OWN:
                yield bench.time("sizes", pair, method, {}, aligned=False)


def time_unrelated(bench: Bench) -> Iterator[PairTime]:
    """Time scores of unrelated sequences, where nothing is noted on the way and nothing left out."""
    for length in UNRELATED[:1] if bench.quick else UNRELATED:
        pair = unrelated_pair(length)
        for method in (one for one in bench.methods if one in {OWN, "striped-score"}):
            yield bench.time("unrelated", pair, method, {}, aligned=False)


def time_alignments(bench: Bench) -> Iterator[PairTime]:
    """Time the alignments of the paper's figures 11 to 18: strip width against chunk height."""
    for size in ALIGN_SIZES[:1] if bench.quick else ALIGN_SIZES:
        pair = artificial_pair(*size)
        for method in bench.methods:
            if method not in WIDE or method == "striped-score":
                continue
            heights = HEIGHTS if method.startswith("chunked") else (0,)
            for height in heights[:1] if bench.quick else heights:
                for width in ALIGN_WIDTHS[-1:] if bench.quick else ALIGN_WIDTHS:
                    settings = {"strip": str(width), **({"chunk": str(height)} if height else {})}
                    paper = published(method, size, width, height)
                    yield bench.time("alignments", pair, method, settings, aligned=True, published_ms=paper)


def time_tiles(bench: Bench) -> Iterator[PairTime]:
    """Time scores in tiles: tile size, ways of launching, host memory, as in the tiling paper's tables 4 and 5."""
    linear = ScoringScheme(match_mismatch(NUCLEOTIDE, 2, -3), 3, 3)
    for kilobytes in TILE_LENGTHS[:1] if bench.quick else TILE_LENGTHS:
        length = 1024 * kilobytes
        pair = artificial_pair(length, length)
        below_and_above = {tile for line in TABLE_4 if line.kilobytes == kilobytes for tile in (line.below, line.above)}
        sizes = sorted({tile for tile in TILE_SIZES if tile <= length} | below_and_above | {128 * -(-length // 128)})
        for launch in PAIR_METHODS["tiled"].setting("launch").names:
            for tile in sizes:
                settings = {"tile": str(tile), "launch": launch}
                yield bench.time("tiles", pair, "tiled", settings, aligned=False, scheme=linear)
        for host in PAIR_METHODS["tiled"].setting("host_memory").names:
            settings = {"tile": "1024", "launch": "graph", "host_memory": host}
            for scheme in (linear, nucleotide_scheme()):
                yield bench.time("tiles", pair, "tiled", settings, aligned=False, scheme=scheme)


def time_genomes(bench: Bench) -> Iterator[PairTime]:
    """Time real pairs, from mitochondria to E. coli: the score alone, and the whole alignment."""
    for name, files in GENOMES.items():
        try:
            pair = genome_pair(bench.folder / "dna", name, *files)
        except DataMissing as error:
            yield PairTime("genomes", name, 0, 0, "", aligned=False, problem=error.message)
            continue
        if bench.quick and pair.cells > 1e9:
            return
        for method in bench.methods:
            for aligned in (False,) if method == "striped-score" else (False, True):
                yield bench.time("genomes", pair, method, {}, aligned=aligned)


def time_devices(bench: Bench) -> Iterator[PairTime]:
    """Time the program's own method on one device, two, four and so on, as far as there are."""
    if OWN not in bench.methods:
        return
    names = tuple(device.id for device in probe(GPU.name).devices)
    pairs = [artificial_pair(*QUICK_SIZE)] if bench.quick else [artificial_pair(*LARGE_SIZE)]
    if not bench.quick:
        try:
            pairs.append(genome_pair(bench.folder / "dna", LARGE_GENOMES, *GENOMES[LARGE_GENOMES]))
        except DataMissing as error:
            yield PairTime("devices", LARGE_GENOMES, 0, 0, "", aligned=False, problem=error.message)
    counts = [1 << power for power in range(len(names).bit_length()) if 1 << power < len(names)] + [len(names)]
    for count in counts:
        chosen = names[:count]
        bench.time("devices", artificial_pair(*QUICK_SIZE), OWN, {}, aligned=True, devices=chosen)  # compiles
        for pair in pairs:
            for aligned in (False, True):
                yield bench.time("devices", pair, OWN, {}, aligned=aligned, devices=chosen, once_from=1e13)


PARTS: Final[Mapping[str, Callable[[Bench], Iterator[PairTime]]]] = MappingProxyType(
    {
        "sizes": time_scores,
        "unrelated": time_unrelated,
        "alignments": time_alignments,
        "tiles": time_tiles,
        "genomes": time_genomes,
        "devices": time_devices,
    }
)


def main(words: Sequence[str]) -> int:
    """Measure; returns the exit status."""
    given = _parser().parse_args([word for word in words if word not in ("--", WORD)])
    status = probe(GPU.name)
    if not status.available:
        return refuse_without_gpu(status)
    devices = (given.device,) if given.device else (status.devices[0].id,)
    methods = tuple(given.only.split(",")) if given.only else tuple(name for name in PAIR_METHODS if name != CPU_METHOD)
    bench = Bench(data_folder(given.data), devices, given.repeats, methods, given.quick)
    times: list[PairTime] = []
    parts = given.parts or list(PARTS)
    try:
        check_outputs({"json": given.json}, data_files(data_folder(given.data)))
        for name in methods:
            resolve_method(name)
        for part in parts:
            print(f"\n{part}: {(PARTS[part].__doc__ or '').strip()}\n\n{heading()}")
            for one in PARTS[part](bench):
                times.append(one)
                print(row(one), flush=True)
    except SwguiError as error:
        return refuse(error)
    finally:
        if given.json and times:
            used = {device.id for device in status.devices} if "devices" in parts else set(devices)
            described = [{"id": d.id, "name": d.name, **d.facts} for d in status.devices if d.id in used]
            text = json.dumps(document([one.as_json() for one in times], described), indent=1)
            save_text(given.json, text)
    return 0


def heading() -> str:
    """Return the head of the table, in Markdown."""
    return (
        f"| pair | method | settings | | ms | GCUPS | phases, ms | device memory, MiB | {C2050}, ms | ratio |\n"
        "|---|---|---|---|---|---|---|---|---|---|"
    )


def row(one: PairTime) -> str:
    """Return one line of the table."""
    settings = ", ".join(f"{name} {value}" for name, value in one.settings.items())
    if one.devices > 1 or one.part == "devices":
        settings = f"{words.count(one.devices, 'device')}, {settings}"
    what = "alignment" if one.aligned else "score"
    if one.problem:
        return (
            f"| {one.pair} | {one.method} | {settings} | {what} | {one.problem} | | | | {_number(one.published_ms)} | |"
        )
    phases = ", ".join(f"{name.removeprefix('phase ')}: {1000 * seconds:.2f}" for name, seconds in one.phases.items())
    milliseconds = 1000 * one.seconds
    ratio = f"{one.published_ms / milliseconds:.1f}" if one.published_ms else ""
    return (
        f"| {one.pair} | {one.method} | {settings} | {what} | {milliseconds:,.2f} | {one.gcups:,.1f} | {phases} | "
        f"{one.memory_bytes / 2**20:,.1f} | {_number(one.published_ms)} | {ratio} |"
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.1f}"


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=f"{PROGRAM} {WORD}", description="Measure every method for one long pair, beside the papers' times."
    )
    parser.add_argument("parts", nargs="*", metavar="PART", type=_part, help=f"{', '.join(PARTS)} (default: all)")
    parser.add_argument("--only", metavar="NAMES", help="methods, for example striped-score,wavefront (default: all)")
    parser.add_argument("--quick", action="store_true", help="only the smallest of everything")
    parser.add_argument("--data", help=f"folder of the sequences (default: ${DATA_VARIABLE} or {DATA_DEFAULT})")
    parser.add_argument("--repeats", type=positive, default=3, help="runs of which the median counts (default: 3)")
    parser.add_argument("--device", help="device (default: the first)")
    parser.add_argument("--json", metavar="FILE", help="write all figures to a file")
    return parser


def _part(name: str) -> str:
    if name not in PARTS:
        raise argparse.ArgumentTypeError(f"there is no part '{name}'; choose from {', '.join(PARTS)}")
    return name
