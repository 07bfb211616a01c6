"""``swgui pair``: its options, and a pair put into words and back."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from swgui.commands.binding import asked, shown
from swgui.commands.endings import endings_of
from swgui.commands.engine import read_settings, written_settings
from swgui.commands.files import CHECKPOINT, FILES, HISTORY, TIMINGS, out_option
from swgui.commands.option import Group, Option, command_line, options_of, python_call
from swgui.commands.scoring import SCORING, STRANDS, choose_scheme, scoring_values
from swgui.core.alphabet import KINDS, Alphabet
from swgui.core.devices import device_ids, device_text
from swgui.core.engines import EngineOptions
from swgui.core.methods.base import AUTO
from swgui.core.methods.pair import PAIR_METHODS
from swgui.core.pair.problem import PairMode
from swgui.core.records import SequenceRecord
from swgui.io.export.pairs import PAIR_FORMATS
from swgui.jobs.events import SHORT_CELLS
from swgui.jobs.pair.request import PairRequest

SHORT: Final = SHORT_CELLS  # of a pair whose both strands are aligned by default

PAIR: Final = (
    Group(
        (
            Option(("query",), "file with the query: FASTA, GenBank, ..., plain or compressed", "A", required=True),
            Option(("subject",), "file with the subject, the reference of coordinates", "B", required=True),
        )
    ),
    Group(
        (
            Option(("--type",), "kind of sequence (default: auto)", default="auto", choices=KINDS),
            Option(("--query-id",), "identifier of the sequence in A, if it has several", "ID"),
            Option(("--subject-id",), "identifier of the sequence in B, if it has several", "ID"),
            Option(
                ("--pairs",),
                "several pairs, one after another: each sequence of A with the one at its place in B (each), every one "
                "with every one (all), or those that a file names, two identifiers a line; --out is a folder then",
                "each|all|FILE",
            ),
            out_option("where to write"),
            Option(
                ("--format", "-f"),
                "default: by the ending of --out, else text; "
                + "; ".join(f"{name}: {form.description}" for name, form in PAIR_FORMATS.items()),
                default="text",
                choices=tuple(PAIR_FORMATS),
                endings=endings_of((name, form.suffix) for name, form in PAIR_FORMATS.items()),
            ),
            CHECKPOINT._replace(path="checkpoint", make=Path, show=lambda file: None),  # a copied command begins anew
            HISTORY,
        ),
        FILES,
    ),
    TIMINGS,
    SCORING,
    Group(
        (
            Option(
                ("--mode",),
                "local; global: both from end to end; semiglobal: unaligned ends are free (default: local)",
                default=str(PairMode.LOCAL),
                choices=tuple(str(mode) for mode in PairMode),
                path="mode",
                make=PairMode,
                show=str,
            ),
            Option(
                ("--strand",),
                f"strands of a nucleotide query (default: both in local mode up to {SHORT:,} cells, "
                "which take seconds; else plus)",
                choices=STRANDS,
                path="strand",
            ),
            Option(
                ("--score-only",),
                "print the score and its position only, no alignment",
                default=False,
                flag=True,
                path="score_only",
            ),
            Option(
                ("--top", "-k"),
                "alignments at most, best first (default: 1)",
                "N",
                int,
                1,
                dest="limit",
                path="limit",
                former=("--limit",),
            ),
            Option(("--min-score",), "least score of further alignments", "S", int, 1, path="min_score"),
        ),
        "alignment",
    ),
    Group(
        (
            Option(
                ("--method",),
                "method (default: the fastest)",
                default=AUTO,
                choices=(AUTO, *PAIR_METHODS),
                path="method",
            ),
            Option(
                ("--device",),
                "devices as 'swgui devices' lists them",
                "ID[,ID]",
                default="",
                path="options.devices",
                make=device_ids,
                show=device_text,
            ),
            Option(
                ("-t", "--threads", "--num-threads"),
                "threads of the CPU (default: all)",
                "N",
                int,
                0,
                path="options.threads",
            ),
            Option(
                ("--set", "--setting"),
                "a setting of the method",
                "NAME=VALUE",
                default=[],
                many=True,
                dest="settings",
                path="options.settings",
                make=read_settings,
                show=written_settings,
            ),
            Option(("--plan",), "print the estimated time and memory, and stop", default=False, flag=True),
        ),
        "method",
    ),
)


def pair_request(
    arguments: argparse.Namespace, query: SequenceRecord, subject: SequenceRecord, alphabet: Alphabet
) -> PairRequest:
    """Return the requested alignment.

    Parameters
    ----------
    arguments : Namespace
        With the values of `PAIR`.
    alphabet : Alphabet
        Of both sequences.

    Raises
    ------
    InvalidParameter, MatrixError
        If it cannot be carried out.
    """
    fields = asked(options_of(PAIR), arguments)
    fields["options"] = EngineOptions(**fields["options"])
    short = len(query.residues) * len(subject.residues) <= SHORT
    if alphabet.complements and short and fields["mode"] is PairMode.LOCAL:
        fields.setdefault("strand", "both")
    return PairRequest(query=query, subject=subject, scheme=choose_scheme(arguments, alphabet), **fields)


def strand_sentence(arguments: argparse.Namespace, requests: Sequence[PairRequest]) -> str:
    """Return the sentence on the strands that are aligned by default; empty where the user chose, or none exist."""
    if arguments.strand is not None or not requests or not requests[0].scheme.alphabet.complements:
        return ""
    if len(requests) > 1:
        return f"pairs of up to {SHORT:,} cells are aligned on both strands, longer ones on the plus strand (--strand)."
    if requests[0].strand == "both":
        return "both strands of the query are aligned (--strand plus: one of them)."
    return "only the plus strand of the query is aligned (--strand both: both, in twice the time)."


def pair_command(
    request: PairRequest, query: tuple[Path, str], subject: tuple[Path, str], matrix: str, pairs: str | None = None
) -> str:
    """Return the terminal command that aligns the same pair, or all pairs of two files; as `pair_values`."""
    return command_line("pair", PAIR, pair_values(request, query, subject, matrix, pairs))


def pair_python(
    request: PairRequest, query: tuple[Path, str], subject: tuple[Path, str], matrix: str, pairs: str | None = None
) -> str:
    """Return lines of Python that align the same pair; parameters as of `pair_values`."""
    return python_call("pair", PAIR, pair_values(request, query, subject, matrix, pairs), ("query", "subject"))


def pair_values(
    request: PairRequest, query: tuple[Path, str], subject: tuple[Path, str], matrix: str, pairs: str | None = None
) -> dict[str, object]:
    """Return the values of the options that ask for the same pair, by `Option.key`.

    Parameters
    ----------
    query, subject : tuple of (Path, str)
        File and, where it has several sequences, the identifier of the one to take.
    matrix : str
        The matrix as settings keep it: a name, a file, or ``+2/-3``.
    pairs : str, optional
        Which pairs of the files, as ``--pairs`` has it.
    """
    alphabet = request.scheme.alphabet
    return {
        "query": query[0],
        "subject": subject[0],
        "query_id": None if pairs else query[1] or None,
        "subject_id": None if pairs else subject[1] or None,
        "pairs": pairs,
        "type": alphabet.name,
        **scoring_values(request.scheme, matrix),
        **shown(options_of(PAIR), request),
        **({} if alphabet.complements else {"strand": None}),
    }
