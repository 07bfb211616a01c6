"""The benchmarks, each a generator of measurements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, cast

from speed import data
from speed.measure import Measurement, all_scores, whole_scan
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.database import EncodedDatabase
from swgui.core.engines import EngineOptions
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.cuda.engine import CudaEngine
from swgui.engines.facts import GPU
from swgui.engines.registry import make_engine

STREAMED: Final = (464, 567, 729, 1000, 2005, 5478)  # lengths of the queries that are timed streamed


@dataclass(frozen=True)
class Setting:
    """Settings of all benchmarks.

    Parameters
    ----------
    folder : Path
        Real sequences.
    times : int
        Copies of the protein database.
    repeats : int
        Runs of which the median counts.
    devices : tuple of str
    """

    folder: Path
    times: int
    repeats: int
    devices: tuple[str, ...]

    @cached_property
    def scheme(self) -> ScoringScheme:
        """Scoring scheme of the protein benchmarks."""
        return data.protein_scheme()

    @cached_property
    def queries(self) -> list[EncodedQuery]:
        """The 20 queries."""
        return data.load_queries(self.folder / "proteins", "cudasw_20queries.fasta")

    @cached_property
    def database(self) -> EncodedDatabase:
        """The protein database."""
        return data.load_database(self.folder / "proteins", "uniprot_16proteomes.fasta.gz", times=self.times)

    @cached_property
    def small_database(self) -> EncodedDatabase:
        """The database of the many-query benchmark."""
        return data.load_database(self.folder / "proteins", "swissprot_16species.fasta.gz")

    def engine(self, **settings: str) -> CudaEngine:
        """Make the engine on the first of the devices."""
        options = EngineOptions(devices=self.devices[:1], settings=settings)
        return cast(CudaEngine, make_engine(GPU.name, options))


def time_queries(setting: Setting) -> Iterator[Measurement]:
    """Time each of the 20 queries, database resident."""
    yield from _time_each(setting, "queries")


def time_without_dpx(setting: Setting) -> Iterator[Measurement]:
    """Time the same without fused 16-bit instructions."""
    yield from _time_each(setting, "no-dpx", dpx="off")


def _time_each(setting: Setting, job: str, **settings: str) -> Iterator[Measurement]:
    queries, database = setting.queries, setting.database
    with closing(setting.engine(**settings)) as engine:
        for query in queries:
            yield whole_scan(job, query, database, setting.scheme, engine, setting.repeats)


def time_profiles(setting: Setting) -> Iterator[Measurement]:
    """Time each of the 20 queries as a profile: gaps differ in their first residue, then in all costs."""
    scheme = setting.scheme
    with closing(setting.engine()) as engine:
        for model in (False, True):
            for query in setting.queries:
                profile = data.as_profile(query, scheme, model=model)
                yield whole_scan("profiles", profile, setting.database, scheme, engine, setting.repeats)


def time_streamed(setting: Setting) -> Iterator[Measurement]:
    """Keep a quarter of the database on the device at a time, in pinned and pageable memory."""
    chosen = [query for query in setting.queries if len(query) in STREAMED]
    quarter = str(max(1, setting.database.residues // 4 >> 20))
    forms = {
        "resident": {},
        "streamed": {"memory_mib": quarter},
        "streamed, residues not kept on the host": {"memory_mib": quarter, "host_memory_mib": "0"},
        "streamed, pageable": {"memory_mib": quarter, "pinned": "off"},
    }
    for form, settings in forms.items():
        with closing(setting.engine(**settings)) as engine:
            for query in chosen:
                yield all_scores(
                    "streamed",
                    f"{query.id}, {form}",
                    [query],
                    setting.database,
                    setting.scheme,
                    engine,
                    setting.repeats,
                )


def time_devices(setting: Setting) -> Iterator[Measurement]:
    """Compare one device with two, four, ... and all devices given, on the database four times over."""
    large = data.repeat(setting.database, 4)
    chosen = [query for query in setting.queries if len(query) in STREAMED]
    for count in sorted({1, 2, 4, 8, len(setting.devices)}):
        if count > len(setting.devices):
            break
        options = EngineOptions(devices=setting.devices[:count])
        with closing(make_engine(GPU.name, options)) as engine:
            for query in chosen:
                yield all_scores(
                    "devices", f"{query.id}, {count} device(s)", [query], large, setting.scheme, engine, setting.repeats
                )


def time_batch(setting: Setting) -> Iterator[Measurement]:
    """Search 500 queries in one run against the smaller database, and one long query for comparison."""
    batch = data.load_queries(setting.folder / "proteins", "uniprot_500queries.fasta")
    longest = max(setting.queries, key=len)
    with closing(setting.engine()) as engine:
        for label, queries in (("500 queries", batch), (longest.id, [longest])):
            yield all_scores("batch", label, queries, setting.small_database, setting.scheme, engine, setting.repeats)


def time_nucleotides(setting: Setting) -> Iterator[Measurement]:
    """Search a genome in windows of 10 kb, both strands, against contigs."""
    folder = setting.folder / "dna"
    queries = data.windows(folder, "GCF_000005845.2_ASM584v2_genomic.fna.gz")
    database = data.load_database(folder, "TARA_ASE_MAG_00031.fa.gz", NUCLEOTIDE)
    with closing(setting.engine()) as engine:
        yield all_scores(
            "dna", f"{len(queries)} windows and strands", queries, database, data.nucleotide_scheme(), engine, 1
        )


JOBS: Final[Mapping[str, Callable[[Setting], Iterator[Measurement]]]] = {
    "queries": time_queries,
    "no-dpx": time_without_dpx,
    "profiles": time_profiles,
    "streamed": time_streamed,
    "devices": time_devices,
    "batch": time_batch,
    "dna": time_nucleotides,
}
