"""The alignments of many jobs: each sequence is searched once in each database, all of them together."""

from __future__ import annotations

import argparse
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

import swgui
from swgui.commands.msa import ROWS, msa_request, row_limits
from swgui.commands.option import options_of
from swgui.core.alphabet import PROTEIN, Alphabet
from swgui.core.database import EncodedDatabase
from swgui.core.errors import Stopped, SwguiError
from swgui.core.hits.results import SearchResult
from swgui.core.organisms.subjects import UNKNOWN
from swgui.core.plain import replace
from swgui.core.profiles.alignment import AlignedRow, MasterAlignment
from swgui.core.profiles.diversity import diverse
from swgui.core.profiles.msa import RowLimits, filtered
from swgui.core.records import SequenceRecord
from swgui.engines import registry
from swgui.engines.native.rows import purge
from swgui.io.database.any_file import open_any_database
from swgui.jobs.events import run_to_end
from swgui.jobs.iterate.floods import subjects_within
from swgui.jobs.iterate.inclusion import copies_of_query
from swgui.jobs.iterate.msa import deep_alignments
from swgui.jobs.iterate.run import iteration_steps
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import SCORE_BYTES_LIMIT
from swgui.jobs.threads import workers_and_threads
from swgui.serve.makers import Deliver, Tell
from swgui.serve.pairing import PairedRows, pair_rows
from swgui.serve.protocol import (
    ENVIRONMENT,
    PAIRED,
    RECEIPT,
    TEMPLATES,
    UNPAIRED,
    Chain,
    Kind,
    Mode,
    Subject,
    archive,
    kind_of,
    paired_block,
    read_chains,
    read_mode,
    unpaired_block,
)
from swgui.serve.requests import Allowed
from swgui.serve.tickets import Ticket

RESIDUES: Final = 40_000  # of the chains of one search
CHAINS: Final = 100  # sequences of one search: enough to keep a GPU busy
KEPT_CELLS: Final = 100_000_000  # residues of alignments that are kept for the next request of the same owner
EVERY_ROW: Final = RowLimits(rows=1 << 60)


@dataclass(frozen=True, slots=True)
class Job:
    """The request of one ticket of a folding client."""

    id: str
    owner: str
    kind: Kind
    mode: Mode
    mode_text: str
    chains: tuple[Chain, ...]

    @property
    def paired(self) -> bool:
        """True if its chains are paired."""
        return self.kind == "pair"


@dataclass(frozen=True, slots=True, eq=False)
class ChainAlignment:
    """The alignment of one sequence with one database, and other facts for archives."""

    alignment: MasterAlignment = field(repr=False)  # within the limits of rows
    subjects: dict[str, Subject] = field(repr=False)  # by the names of rows
    # Subjects with the residues of the query: the alignment lacks them, but their organisms may pair
    copies: tuple[AlignedRow, ...] = field(repr=False)
    # By the names of rows and copies, where it is known: number in the taxonomy, or name
    organisms: dict[str, str] = field(repr=False)
    facts: dict[str, object]  # for the receipt

    @property
    def with_copies(self) -> MasterAlignment:
        """The alignment with copies of the query before all other rows."""
        return self.alignment.with_rows([*self.copies, *self.alignment.rows[1:]])


def organisms_of(database: EncodedDatabase, db_index: NDArray[np.int64]) -> dict[str, str]:
    """Return the organism of some subjects, shape (k,), by their names: its number, or its name, if known.

    If several subjects share a name, the first one's organism counts.
    """
    organisms = database.organisms_at(db_index)
    return {
        database.ids[index]: str(int(organisms.taxids[number]) or organisms.names[number])
        for index, number in zip(db_index.tolist()[::-1], organisms.of.tolist()[::-1], strict=True)
        if number != UNKNOWN
    }


def copies_in(result: SearchResult, alignment: MasterAlignment) -> tuple[AlignedRow, ...]:
    """Return rows of the hits of the one query of a result that have its residues; alignments leave them out."""
    hits, database = result.queries[0].hits, result.database
    same = hits.take(copies_of_query(result, 0, hits.db_index))
    return tuple(
        replace(
            alignment.query, id=database.ids[index], description=database.descriptions[index], log10_evalue=log10_evalue
        )
        for index, log10_evalue in zip(same.db_index.tolist(), same.log10_evalues.tolist(), strict=True)
    )


class Work:
    """Open databases, and the maker of archives (a `swgui.serve.makers.Maker`).

    Parameters
    ----------
    arguments : Namespace
        With the values of `swgui.commands.msa.ROWS` and of the group of engines.
    databases : sequence of Path
        The first one gives ``uniref.a3m``, the second one the rows of the environment.
    pair_database : Path, optional
        Where pairs are looked for; in the first one if not given.
    engines : KeptEngines
        Shared by all makers of a server.
    """

    kinds = frozenset(("msa", "pair"))
    alphabet: ClassVar[Alphabet] = PROTEIN
    drops = True

    def __init__(
        self,
        arguments: argparse.Namespace,
        databases: Sequence[Path],
        pair_database: Path | None,
        engines: registry.KeptEngines,
    ) -> None:
        self.arguments, self.limits = arguments, row_limits(arguments)
        self._places = [*databases[:2], pair_database or databases[0]]
        self._engines = engines
        self._kept: OrderedDict[tuple[str, Path, str], ChainAlignment] = OrderedDict()
        self._open: dict[Path, EncodedDatabase] = {}

    def open(self, cancel: threading.Event) -> None:
        """Open the databases.

        Raises
        ------
        SwguiError
            If one is no database of proteins, or a setting of rows makes no sense.
        """
        for place in self._places:
            if place not in self._open:
                self._open[place] = open_any_database(place, alphabet=self.alphabet, cancel=cancel)
        self._request(["A"], self._places[0])

    @property
    def environment(self) -> Path | None:
        """The database of the environment."""
        return self._places[1] if len(self._places) > 2 else None

    @property
    def opened(self) -> dict[Path, EncodedDatabase]:
        """The open databases, by their files."""
        return self._open

    @property
    def fingerprint(self) -> str:
        """Facts besides the request that decide results: databases, limits of rows, and the program."""
        rows = [str(getattr(self.arguments, option.key)) for option in options_of((ROWS,))]
        return " ".join([swgui.__version__, *(self._open[place].checksum for place in self._places), *rows])

    def read(self, ticket: Ticket, query: str) -> Job:
        """Return the request of a ticket.

        Raises
        ------
        Refused
            If an older program took what this one refuses.
        """
        every = Allowed(1 << 62, 1 << 62, 1 << 62)
        kind = kind_of(ticket.kind)
        chains, mode = read_chains(query, every, kind), read_mode(kind, ticket.mode)
        return Job(ticket.id, ticket.owner, kind, mode, ticket.mode, chains)

    def fits(self, jobs: Sequence[Job], job: Job) -> bool:
        """Whether a job is small enough to be searched together with others."""
        chains = {chain.residues for one in (*jobs, job) for chain in one.chains}
        return len(chains) <= CHAINS and sum(map(len, chains)) <= RESIDUES

    def make(self, jobs: Sequence[Job], cancel: threading.Event, deliver: Deliver, tell: Tell) -> None:
        """Make the archive of each job and hand it over, with the number of its rows.

        Raises
        ------
        Stopped
            Once `cancel` is set.
        SwguiError
            If the search fails.
        """
        began = time.monotonic()
        alignments = {place: self._aligned(jobs, place, cancel) for place in dict.fromkeys(self._places)}
        workers, _ = workers_and_threads(len(jobs), self.arguments.threads)

        def finish(job: Job) -> None:
            if not cancel.is_set():
                deliver(job, *self._archive(job, alignments, time.monotonic() - began))

        with ThreadPoolExecutor(workers, thread_name_prefix="swgui-archives") as pool:
            list(pool.map(finish, jobs))
        if cancel.is_set():
            raise Stopped

    def _wants(self, job: Job, place: Path) -> bool:
        if job.paired:
            return place == self._places[-1] and len({chain.residues for chain in job.chains}) > 1
        return place == self._places[0] or (job.mode.environment and place == self.environment)

    def _aligned(self, jobs: Sequence[Job], place: Path, cancel: threading.Event) -> dict[str, ChainAlignment]:
        """Return the alignments of the sequences of some jobs with a database, by residues; reuses saved ones."""
        asked = [(job.owner, chain.residues) for job in jobs if self._wants(job, place) for chain in job.chains]
        alignments = {
            residues: self._kept[owner, place, residues]
            for owner, residues in asked
            if (owner, place, residues) in self._kept
        }
        new = list(dict.fromkeys(residues for _, residues in asked if residues not in alignments))
        most = max(1, min(CHAINS, SCORE_BYTES_LIMIT // (4 * len(self._open[place]))))
        for first in range(0, len(new), most):
            alignments |= self._searched(new[first : first + most], place, cancel)
        for owner, residues in asked:
            self._keep((owner, place, residues), alignments[residues])
        return alignments

    def _keep(self, key: tuple[str, Path, str], made: ChainAlignment) -> None:
        """Keep an alignment: a request of pairs follows the chains' request."""
        self._kept[key] = made
        self._kept.move_to_end(key)
        size = sum(len(kept.alignment) * kept.alignment.columns for kept in self._kept.values())
        while size > KEPT_CELLS and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            size -= len(oldest.alignment) * oldest.alignment.columns

    def _request(self, sequences: Sequence[str], place: Path) -> SearchRequest:
        records = [SequenceRecord(f"chain{n}", "", text.encode()) for n, text in enumerate(sequences, start=1)]
        opened = self._open[place]
        return msa_request(self.arguments, records, opened.alphabet, opened, self.limits)

    def _searched(self, sequences: Sequence[str], place: Path, cancel: threading.Event) -> dict[str, ChainAlignment]:
        steps = iteration_steps(self._request(sequences, place), cancel, self._engines.use)
        result = run_to_end(steps)
        if cancel.is_set() or result is None:
            raise Stopped
        if result.state != "complete":
            raise SwguiError(result.message or "The search failed.")
        workers, threads = workers_and_threads(len(sequences), self.arguments.threads)
        with ThreadPoolExecutor(workers, thread_name_prefix="swgui-rows") as pool:
            made = pool.map(lambda index: self._align(result, index, threads, cancel), range(len(sequences)))
            return dict(zip(sequences, made, strict=True))

    def _align(self, result: SearchResult, index: int, threads: int, cancel: threading.Event) -> ChainAlignment:
        query = result.queries[index]
        alone = replace(result, queries=(query,))
        evalue = self.arguments.evalue
        (unfiltered,) = deep_alignments([alone], evalue, EVERY_ROW, threads, cancel)
        alignment = filtered(unfiltered, self.limits, purge)
        hits = query.hits.take(query.hits.log10_evalues <= np.log10(evalue))
        within = len(subjects_within(result, index, evalue)) if len(hits) >= self.limits.rows else len(hits)
        of_hits = zip(
            hits.db_index.tolist(), hits.bit_scores.tolist(), hits.log10_evalues.tolist(),
            result.database.lengths[hits.db_index].tolist(), strict=True,
        )  # fmt: skip
        subjects: dict[str, Subject] = {}
        for db_index, *figures in of_hits:
            subjects.setdefault(result.database.ids[db_index], Subject(*figures))
        rounds = len(query.rounds) if query.rounds is not None else 1
        facts: dict[str, object] = {
            "rounds": rounds,
            "subjects_within_evalue": within,
            "rows_aligned": len(unfiltered) - 1,
            "rows_beyond_the_limits_of_rows": len(unfiltered) - len(alignment),
        }
        organisms = organisms_of(result.database, hits.db_index)
        return ChainAlignment(alignment, subjects, copies_in(alone, alignment), organisms, facts)

    def _archive(
        self, job: Job, alignments: dict[Path, dict[str, ChainAlignment]], seconds: float
    ) -> tuple[bytes, int]:
        """Return the archive of a job, and how many rows it has."""
        members: dict[str, bytes] = {}
        receipt: dict[str, object] = {
            "program": f"swgui {swgui.__version__}",
            "mode": job.mode_text,
            "all_sequences_scored_in_full": True,
            "settings": {option.key: getattr(self.arguments, option.key) for option in options_of((ROWS,))},
        }
        if job.paired:
            members[PAIRED], rows, receipt["pairing"] = self._paired_rows(job, alignments[self._places[-1]])
            receipt["databases"] = {PAIRED: self._facts(self._places[-1])}
        else:
            rows, files = 0, {UNPAIRED: self._places[0]}
            if job.mode.environment:
                files[ENVIRONMENT] = self.environment or self._places[0]
            tables: dict[str, object] = {}
            databases: dict[str, object] = {name: self._facts(place) for name, place in files.items()}
            for name, place in files.items():
                of_file = {} if name == ENVIRONMENT and self.environment is None else alignments[place]
                members[name], number, tables[name] = self._blocks(job, of_file)
                rows += number
            if job.mode.environment and self.environment is None:
                databases[ENVIRONMENT] = "none was given to the server: the file has the queries only"
            receipt["databases"] = databases
            receipt["chains"] = tables
            if job.mode.templates:
                members[TEMPLATES] = b""
                receipt["templates"] = "none were looked for: the server has no database of structures"
        receipt["seconds"] = round(seconds, 3)
        members[RECEIPT] = (json.dumps(receipt, indent=1) + "\n").encode()
        return archive(members), rows

    def _blocks(self, job: Job, alignments: dict[str, ChainAlignment]) -> tuple[bytes, int, dict[str, object]]:
        """Return the file of all chains of a job, its rows, and a message on each chain."""
        blocks, rows = [], 0
        table: dict[str, object] = {}
        for chain in job.chains:
            own = alignments.get(chain.residues) or _query_alone(chain)
            kept = diverse(own.alignment, purge) if job.mode.filtered else own.alignment
            blocks.append(unpaired_block(chain, kept, own.subjects))
            rows += len(kept) - 1
            cut = len(own.alignment) - len(kept)
            table[chain.id] = {**own.facts, "rows_left_out_as_near_copies": cut, "rows": len(kept) - 1}
        return b"".join(blocks), rows, table

    def _paired_rows(self, job: Job, alignments: dict[str, ChainAlignment]) -> tuple[bytes, int, dict[str, object]]:
        """Return the file of paired rows; copies of a chain have the rows of the first."""
        different = list(dict.fromkeys(chain.residues for chain in job.chains))
        together = PairedRows(((),) * len(different))
        if len(different) > 1:
            rows = [alignments[residues].with_copies for residues in different]
            organisms = dict(item for residues in different for item in alignments[residues].organisms.items())
            together = pair_rows(rows, organisms, complete=job.mode.complete, most=self.limits.rows)
        blocks = []
        for chain in job.chains:
            own = alignments.get(chain.residues) or _query_alone(chain)
            blocks.append(paired_block(chain, own.alignment, together.rows[different.index(chain.residues)]))
        said: dict[str, object] = {
            "strategy": "complete" if job.mode.complete else "greedy",
            "organisms_of_two_chains_or_more": together.common,
            "organisms_chosen": len(together.organisms),
            "rows_without_an_organism": dict(zip([c.id for c in job.chains], together.unnamed, strict=False)),
        }
        return b"".join(blocks), len(together.organisms), said

    def _facts(self, place: Path) -> dict[str, object]:
        database = self._open[place]
        checksum, size = database.checksum, database.residues
        return {"name": database.name, "checksum": checksum, "sequences": len(database), "residues": size}


def _query_alone(chain: Chain) -> ChainAlignment:
    """Return the alignment of a chain without a search: its query."""
    record = SequenceRecord(chain.id, "", chain.residues.encode())
    return ChainAlignment(MasterAlignment.of_query(record, PROTEIN), {}, (), {}, {"rounds": 0})
