"""``swgui network``, ``cluster``, ``split``, ``judge`` and ``leak``: their options, and what those ask for."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import Final

from swgui.commands.engine import engine_group, engine_name, engine_options
from swgui.commands.messages import FILES, MESSAGES, SIGN, TIMINGS, out_option, table_format
from swgui.commands.option import Group, Option
from swgui.commands.scoring import SCORING, choose_scheme
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter, SwguiError
from swgui.core.network.clusters import CLUSTER_RULES
from swgui.core.network.edges import STRANDS_SAID
from swgui.core.network.measures import COVERAGES, IDENTITIES, PairLimit
from swgui.io.network.clusters import CLUSTER_FORMATS
from swgui.io.network.graphs import GRAPH_FORMATS, Network
from swgui.jobs.network.leak import SURE
from swgui.jobs.network.pairs import STRANDS
from swgui.jobs.network.request import NetworkRequest

DEFAULT_EVALUE: Final = 10.0
NETWORK_EVALUE: Final = 1e-5  # as EFI-EST keeps edges


def share(text: str) -> float:
    """Read a share: 0.9 or 90%.

    Raises
    ------
    argparse.ArgumentTypeError
        If it is none.
    """
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"a share is from 0 to 1 or from 0% to 100%, not {text}")
    return value


def shares(text: str) -> list[float]:
    """Read the sizes of parts with commas between them; `argparse.ArgumentTypeError` if they are no numbers."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"the sizes of parts are numbers with commas between, not {text}") from None


def _fasta(help_text: str) -> Option:
    return Option(("fasta",), help_text, "FASTA", required=True)


_OR_NETWORK: Final = "or a .swnet file of them, whose pairs are not compared again"


def _evalue(default: float | None) -> Option:
    said = f"{DEFAULT_EVALUE:g}" if default else f"{DEFAULT_EVALUE:g}, of a .swnet file its own"
    said = f"pairs with a larger E are no relatives (default {said}); identical sequences always are"
    return Option(("--evalue",), said, "E", float, default)


def _measured(*, one_set: bool) -> tuple[Option, Option]:
    """Return how identity and coverage are counted; of one set no sequence is the first."""
    identities, coverages = (
        [one for one in table.values() if not one_set or one.name != "query"] for table in (IDENTITIES, COVERAGES)
    )
    over = Option(
        ("--identity-over",),
        "how identity is counted: " + "; ".join(f"{one.name}: {one.meaning}" for one in identities),
        default="columns",
        choices=tuple(one.name for one in identities),
    )
    part = Option(
        ("--coverage-of",),
        "what the coverage is a part of: " + "; ".join(f"{one.name}: {one.meaning}" for one in coverages),
        default="shorter",
        choices=tuple(one.name for one in coverages),
    )
    return over, part


_SURE: Final = Option(
    ("--sure-evalue",),
    f"alignments up to this E count whatever they cover (default {SURE:g})",
    "E",
    float,
    SURE,
)


def _limits(identity: float, coverage: float, *more: Option) -> Group:
    return Group(
        (
            Option(
                ("--identity",),
                f"pairs whose best alignment has at least this identity are similar (default {identity:g})",
                "SHARE",
                share,
                identity,
            ),
            Option(("--coverage",), f"and of at least this coverage (default {coverage:g})", "SHARE", share, coverage),
            *_measured(one_set=True),
            _evalue(None),
            *more,
        ),
        "which pairs are similar",
    )


STRAND: Final = Group(
    (
        Option(
            ("--strand",),
            "of nucleotides: both, where a pair has the better score of its two, or plus alone (default both)",
            choices=tuple(STRANDS),
        ),
    ),
    "scoring",
)


def _ending() -> tuple[Group, ...]:
    return SCORING, STRAND, engine_group(), MESSAGES


def cluster_options() -> tuple[Group, ...]:
    """Return the options of ``swgui cluster``."""
    rules = "; ".join(f"{rule.name}: {rule.meaning}" for rule in CLUSTER_RULES.values())
    files = Group(
        (
            _fasta(f"sequences; plain or packed, or a .swdb file; {_OR_NETWORK}"),
            out_option("where to write the clusters"),
            Option(
                ("--format",),
                "; ".join(f"{name}: {form.description}" for name, form in CLUSTER_FORMATS.items()),
                default="tsv",
                choices=tuple(CLUSTER_FORMATS),
            ),
            Option(("--rule",), f"how they are clustered (default greedy): {rules}", default="greedy",
                   choices=tuple(CLUSTER_RULES)),
            TIMINGS.options[0],
        ),
        FILES,
    )  # fmt: skip
    return files, _limits(0.9, 0.8), *_ending()


def split_options() -> tuple[Group, ...]:
    """Return the options of ``swgui split``."""
    files = Group(
        (
            _fasta(f"sequences; plain or packed, or a .swdb file; {_OR_NETWORK}"),
            out_option("where to write the table: sequence, part"),
            table_format(),
            Option(("--bins",), "sizes of the parts (default 80,10,10)", "N,N,...", shares, [80.0, 10.0, 10.0]),
            Option(("--names",), "names of the parts (default train,valid,test)", "NAME,NAME,...", str, ""),
            Option(
                ("--drop",),
                "leave sequences out where parts would otherwise be too large; the table calls them 'dropped'",
                default=False,
                flag=True,
            ),
            TIMINGS.options[0],
        ),
        FILES,
    )
    return files, _limits(0.3, 0.5, _SURE), *_ending()


def judge_options() -> tuple[Group, ...]:
    """Return the options of ``swgui judge``."""
    files = Group(
        (
            Option(
                ("clusters",), "CD-HIT's .clstr, MMseqs2's table, or a table with a head", "CLUSTERS", required=True
            ),
            _fasta(f"the sequences that were clustered; {_OR_NETWORK}"),
            out_option("where to write the pairs that are wrongly parted or joined"),
            table_format(),
            Option(
                ("--joined",),
                "pairs of a cluster that should be similar: every, or those with the representative (default every)",
                default="every",
                choices=("every", "representative"),
            ),
            TIMINGS.options[0],
        ),
        FILES,
    )
    return files, _limits(0.9, 0.8), *_ending()


def leak_options() -> tuple[Group, ...]:
    """Return the options of ``swgui leak``."""
    files = Group(
        (
            Option(("train",), "sequences of training; with --split those of all parts", "TRAIN", required=True),
            Option(("test",), "sequences of testing", "TEST"),
            out_option("where to write the nearest training sequence of each test sequence"),
            table_format(),
            Option(("--split",), "a table of sequence and part, as 'swgui split' writes, in place of TEST", "FILE"),
            Option(("--train-part",), "the part of training in that table (default train)", "NAME", str, "train"),
            Option(("--test-part",), "the part of testing (default test)", "NAME", str, "test"),
            Option(("--report",), "write a page with counts, histogram and the 50 worst alignments", "FILE.html"),
            Option(
                ("--certificate",), "write what was compared and found, as JSON that 'swgui verify' checks", "FILE.json"
            ),
            SIGN,
            TIMINGS.options[0],
        ),
        FILES,
    )
    limits = Group(
        (
            Option(
                ("--coverage",),
                "neighbours are training sequences whose alignment covers at least this (default 0.5)",
                "SHARE",
                share,
                0.5,
            ),
            _SURE,
            *_measured(one_set=False),
            _evalue(DEFAULT_EVALUE),
        ),
        "which is the nearest",
    )
    return files, limits, *_ending()


def network_options() -> tuple[Group, ...]:
    """Return the options of ``swgui network``."""
    files = Group(
        (
            Option(("fasta",), "sequences to compare, or a .swnet file to read", "FILE", required=True),
            Option(("-o", "--out"), "the network to write", "NAME.swnet"),
            Option(("--export",), f"write the network for other programs: {', '.join(GRAPH_FORMATS)}", "FILE"),
            Option(("--format",), "its format (default: by the ending)", "NAME", str, ""),
            TIMINGS.options[0],
        ),
        FILES,
    )
    limits = Group(
        (
            Option(("--evalue",), f"keep edges up to this E (default {NETWORK_EVALUE:g})", "E", float),
            Option(("--min-alignment-score",), "export edges of at least this alignment score of EFI", "N", int),
            Option(("--min-identity",), "export edges of at least this identity", "SHARE", share, 0.0),
            Option(("--min-coverage",), "export edges that cover at least this of both", "SHARE", share, 0.0),
        ),
        "which edges",
    )
    return files, limits, *_ending()


def pair_limit(arguments: argparse.Namespace) -> PairLimit:
    """Return which pairs are similar; `InvalidParameter` if that makes no sense."""
    identity = getattr(arguments, "identity", 0.0)
    sure = getattr(arguments, "sure_evalue", 0.0)
    return PairLimit(identity, arguments.coverage, arguments.identity_over, arguments.coverage_of, sure)


def network_request(
    arguments: argparse.Namespace, sequences: EncodedDatabase, evalue: float, source: str = ""
) -> NetworkRequest:
    """Return the comparison that is asked for of sequences in memory, which were read from `source`."""
    scheme, strand = choose_scheme(arguments, sequences.alphabet), arguments.strand or ""
    engine, options = engine_name(arguments), engine_options(arguments)
    return NetworkRequest(sequences, source, evalue, scheme, engine, options, strand)


def check_scoring(arguments: argparse.Namespace, network: Network) -> None:
    """Refuse a scoring or strand that is asked for where a saved network has another, or may have.

    Raises
    ------
    InvalidParameter
        If it has.
    """
    again = "Give the file of the sequences, which are then compared again."
    if arguments.strand not in (None, network.strand):
        said = f"made with {network.said}{STRANDS_SAID[network.strand]}"
        raise InvalidParameter(
            "strand", arguments.strand, f"The network was {said}, not on the strand asked for.", hint=again
        )
    given = [option for option in SCORING.options if getattr(arguments, option.key) != option.default]
    schemes = []
    for alphabet in (PROTEIN, NUCLEOTIDE) if given else ():
        with suppress(SwguiError):  # a matrix of the other kind
            schemes.append(choose_scheme(arguments, alphabet))
    same = network.scheme in schemes if network.scheme else network.said in [one.describe() for one in schemes]
    if given and not same:
        raise InvalidParameter(
            given[0].key,
            getattr(arguments, given[0].key),
            f"The network was made with {network.said}, not with this one.",
            hint=again,
        )
