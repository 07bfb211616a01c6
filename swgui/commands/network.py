"""``swgui network``, ``cluster``, ``split``, ``judge`` and ``leak``: their options and requests, in both directions."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from swgui.commands.binding import asked, within
from swgui.commands.copying import python_of, values_of
from swgui.commands.engine import check_method, engine_group, engine_name, engine_options, engine_values
from swgui.commands.files import (
    FILES,
    HISTORY,
    METADATA,
    SAVE,
    SIGN,
    TABLE_ENDINGS,
    TIMINGS,
    context_place,
    out_option,
    table_format,
)
from swgui.commands.option import Group, Option, command_line, options_of
from swgui.commands.percent import HOW, share
from swgui.commands.scoring import SCORING, choose_scheme, scoring_values
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.contexts import NO_CONTEXT
from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter, SwguiError
from swgui.core.network.clusters import CLUSTER_RULES
from swgui.core.network.edges import STRANDS_SAID
from swgui.core.network.measures import COVERAGES, IDENTITIES, EdgeLimit
from swgui.core.scoring import ScoringScheme
from swgui.io.database.any_file import open_any_database
from swgui.io.network.clusters import CLUSTER_FORMATS, ListedClusters, read_clusters
from swgui.io.network.file import SUFFIX, load_network
from swgui.io.network.graphs import GRAPH_FORMATS, Network
from swgui.io.sequences.sources import STANDARD
from swgui.jobs.kind import kinds
from swgui.jobs.network.all_against_all import STRANDS
from swgui.jobs.network.edges import sequences_of
from swgui.jobs.network.grouping import ClusterRequest, JudgeRequest, SplitRequest, check_names
from swgui.jobs.network.leak import SURE, LeakRequest, parts_of
from swgui.jobs.network.request import EVALUE, NetworkRequest, usual_scheme

DEFAULT_EVALUE: Final = 10.0
PARTS: Final = ("train", "valid", "test")
PASTED: Final = "sequences.fasta"  # stands for the file of sequences that have none
_OR_NETWORK: Final = "or a .swnet file of them, whose pairs are not compared again"
_SURE: Final = Option(
    ("--sure-evalue",),
    f"alignments up to this E count whatever they cover (default: {SURE:g})",
    "E",
    float,
    SURE,
    path="limit.sure",
)
HOW_SCORED: Final = Group(
    (
        Option(
            ("--context",),
            "score each sequence by the surroundings of its residues: own (the library of the program), none, or a "
            "context library in the text form of HH-suite; each pair is scored in both directions and has one E, which "
            "joins more distant relatives; of proteins; --matrix and gap costs are not used; takes about four times "
            "as long (docs/explanation/context-scores.md)",
            "own|none|FILE",
            default=NO_CONTEXT,
            path="context",
            make=context_place,
        ),
        Option(
            ("--strand",),
            "strands of nucleotides: both, of which the better score counts, or plus alone (default: both)",
            choices=tuple(STRANDS),
            path="strand",
            show=lambda strand: strand or None,
        ),
    ),
    "scoring",
)
_NETWORK: Final = "network"  # field of a request: the comparison that the rest follows from


def shares(text: str) -> list[float]:
    """Read the sizes of parts with commas between them; `argparse.ArgumentTypeError` if they are no numbers."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"the sizes of parts are numbers with commas between, not {text}") from None


def _named(file: str | None) -> str:
    """Return the file of sequences as a copied command names it."""
    return file or PASTED


def _fasta(help_text: str) -> Option:
    return Option(("fasta",), help_text, "FASTA", required=True, path=f"{_NETWORK}.file", show=_named)


def _evalue(default: float | None) -> Option:
    said = f"{DEFAULT_EVALUE:g}" if default else f"{DEFAULT_EVALUE:g}, of a .swnet file its own"
    said = f"pairs with a larger E are no relatives (default: {said}); identical sequences always are"
    return Option(
        ("--evalue", "-e"),
        said,
        "E",
        float,
        default,
        path="evalue" if default else f"{_NETWORK}.evalue",
        show=lambda evalue: None if evalue == DEFAULT_EVALUE else evalue,
    )


def _measured(*, one_set: bool) -> tuple[Option, Option]:
    """Return the options of identity and coverage; in one set no sequence is the query."""
    identities, coverages = (
        [one for one in table.values() if not one_set or one.name != "query"] for table in (IDENTITIES, COVERAGES)
    )
    over = Option(
        ("--identity-over",),
        "how identity is counted: " + "; ".join(f"{one.name}: {one.meaning}" for one in identities),
        default="columns",
        choices=tuple(one.name for one in identities),
        path="limit.identity_over",
    )
    part = Option(
        ("--coverage-of",),
        "the sequence that coverage refers to: " + "; ".join(f"{one.name}: {one.meaning}" for one in coverages),
        default="shorter",
        choices=tuple(one.name for one in coverages),
        path="limit.coverage_of",
    )
    return over, part


def _limits(identity: float, coverage: float, *more: Option) -> Group:
    return Group(
        (
            Option(
                ("--identity",),
                f"pairs whose best alignment has at least this identity are similar ({HOW}; default: {identity:g})",
                "SHARE",
                share,
                identity,
                path="limit.identity",
            ),
            Option(
                ("--coverage",),
                f"least coverage of similar pairs (default: {coverage:g})",
                "SHARE",
                share,
                coverage,
                path="limit.coverage",
            ),
            *_measured(one_set=True),
            _evalue(None),
            *more,
        ),
        "which pairs are similar",
    )


def _ending() -> tuple[Group, ...]:
    return SCORING, within(HOW_SCORED, _NETWORK), engine_group(away=True)


def _files(*given: Option) -> Group:
    """Return the options of files: the given ones, and those of every command here."""
    return Group((*given, SAVE, HISTORY, TIMINGS.options[0]), FILES)


def cluster_options() -> tuple[Group, ...]:
    """Return the options of ``swgui cluster``."""
    rules = "; ".join(f"{rule.name}: {rule.meaning}" for rule in CLUSTER_RULES.values())
    formats = "; ".join(f"{name}: {form.description}" for name, form in CLUSTER_FORMATS.items())
    files = _files(
        _fasta(f"sequences; plain or compressed, or a .swdb file; - for the standard input; {_OR_NETWORK}"),
        out_option("where to write the clusters"),
        Option(("--format", "-f"), f"default: by the ending of --out, else tsv; {formats}", default="tsv",
               choices=tuple(CLUSTER_FORMATS), endings={**TABLE_ENDINGS, ".clstr": ("clstr",)}),
        *METADATA,
        Option(("--rule",), f"method of clustering (default: greedy): {rules}", default="greedy",
               choices=tuple(CLUSTER_RULES), path="rule"),
    )  # fmt: skip
    return files, _limits(0.9, 0.8), *_ending()


def split_options() -> tuple[Group, ...]:
    """Return the options of ``swgui split``."""
    left_out = "leave sequences out where parts would otherwise be too large; the table calls them 'dropped'"
    files = _files(
        _fasta(f"sequences; plain or compressed, or a .swdb file; - for the standard input; {_OR_NETWORK}"),
        out_option("where to write the table: sequence, part"),
        table_format(),
        *METADATA,
        Option(
            ("--bins",),
            "sizes of the parts (default: 80,10,10)",
            "N,N,...",
            shares,
            [80.0, 10.0, 10.0],
            path="bins",
            show=lambda bins: ",".join(f"{size:g}" for size in bins),
        ),
        Option(
            ("--names",),
            f"names of the parts (default: {','.join(PARTS)})",
            "NAME,NAME,...",
            str,
            "",
            path="names",
            make=lambda text: text.split(",") if text else [],
            show=",".join,
        ),
        Option(("--drop",), left_out, default=False, flag=True, path="drop"),
    )
    return files, _limits(0.3, 0.5, _SURE), *_ending()


def judge_options() -> tuple[Group, ...]:
    """Return the options of ``swgui judge``."""
    joined = "pairs of a cluster that should be similar: every, or those with the representative (default: every)"
    files = _files(
        Option(
            ("clusters",),
            "CD-HIT's .clstr, MMseqs2's table, or a table with a head",
            "CLUSTERS",
            required=True,
            path="file",
            make=lambda given: "" if isinstance(given, ListedClusters) else given,
            show=lambda file: file or "clusters.tsv",
        ),
        _fasta(f"the sequences that were clustered; {_OR_NETWORK}"),
        out_option("where to write the pairs that are wrongly parted or joined"),
        table_format(),
        *METADATA,
        Option(("--joined",), joined, default="every", choices=("every", "representative"), path="joined"),
    )
    return files, _limits(0.9, 0.8), *_ending()


def leak_options() -> tuple[Group, ...]:
    """Return the options of ``swgui leak``."""
    certificate = "write the comparison and its results, as JSON that 'swgui verify' checks"
    files = _files(
        Option(
            ("train",),
            "sequences of training; with --split those of all parts",
            "TRAIN",
            required=True,
            path="train_file",
            show=lambda file: file or f"train.{PASTED}",
        ),
        Option(
            ("test",),
            "sequences of testing",
            "TEST",
            path="test_file",
            show=lambda file: file if file is None else file or f"test.{PASTED}",
        ),
        out_option("where to write the nearest training sequence of each test sequence"),
        table_format(),
        *METADATA,
        Option(
            ("--split",),
            "a table of sequence and part, as 'swgui split' writes, in place of TEST",
            "FILE",
            path="split",
            show=lambda file: file or None,
        ),
        Option(
            ("--train-part",),
            "the part of training in that table (default: train)",
            "NAME",
            default="train",
            path="train_part",
        ),
        Option(("--test-part",), "the part of testing (default: test)", "NAME", default="test", path="test_part"),
        Option(("--report",), "write a page with counts, histogram and the 50 worst alignments", "FILE.html"),
        Option(("--certificate",), certificate, "FILE.json"),
        SIGN,
    )
    limits = Group(
        (
            Option(
                ("--coverage",),
                "neighbours are training sequences whose alignment covers at least this (default: 0.5)",
                "SHARE",
                share,
                0.5,
                path="limit.coverage",
            ),
            _SURE,
            *_measured(one_set=False),
            _evalue(DEFAULT_EVALUE),
        ),
        "which is the nearest",
    )
    return files, limits, SCORING, HOW_SCORED, engine_group(away=True)


def network_options() -> tuple[Group, ...]:
    """Return the options of ``swgui network``."""
    files = _files(
        Option(
            ("fasta",),
            "sequences to compare (-: standard input), or a .swnet file to read",
            "FILE",
            required=True,
            path="file",
            show=_named,
        ),
        Option(("-o", "--out"), "the network to write", "NAME.swnet"),
        Option(("--export",), f"write the network for other programs: {', '.join(GRAPH_FORMATS)}", "FILE"),
        Option(("--format", "-f"), "format of the export (default: by the ending)", "NAME", str, ""),
        *METADATA[:2],  # rows are always looked up for the sequences
    )
    limits = Group(
        (
            Option(
                ("--evalue", "-e"),
                f"keep edges up to this E (default: {EVALUE:g})",
                "E",
                float,
                path="evalue",
                show=lambda evalue: None if evalue == EVALUE else evalue,
            ),
            Option(("--min-alignment-score",), "export edges of at least this alignment score of EFI", "N", int),
            Option(("--min-identity",), "export edges of at least this identity", "SHARE", share, 0.0),
            Option(("--min-coverage",), "export edges that cover at least this of both", "SHARE", share, 0.0),
        ),
        "which edges",
    )
    return files, limits, SCORING, HOW_SCORED, engine_group(away=True)


def _fields(kind: Any, options: Callable[[], tuple[Group, ...]], arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the fields of a request that options set, without its comparison; `InvalidParameter` for a wrong limit."""
    given = asked(options_of(options()), arguments)
    given["limit"] = EdgeLimit(**given["limit"])
    return {field.name: given[field.name] for field in fields(kind) if field.name in given.keys() - {_NETWORK}}


def _place(given: Any, cancel: threading.Event) -> Path | EncodedDatabase:
    """Return the place of sequences, or those of the standard input, which can be read only once."""
    if isinstance(given, EncodedDatabase):
        return given
    if str(given) != STANDARD:
        return Path(given)
    from swgui.io.database.conversions import convert_for_now  # here: few sequences come by a pipe

    return convert_for_now(Path(given), None, None, None, cancel)


def network_request(
    arguments: argparse.Namespace, cancel: threading.Event, *, evalue: float = EVALUE
) -> NetworkRequest:
    """Return the requested comparison, with its sequences or its saved network open.

    Parameters
    ----------
    arguments : Namespace
        Its ``fasta`` is a file of sequences or of a network, the standard input, or an open database.
    evalue : float
        The E of sequences that are compared, by default; a saved network has its own.

    Raises
    ------
    InvalidParameter
        If a saved network has another scoring than the requested one.
    SwguiError
        If the file cannot be read, or there is no such engine or scoring.
    """
    given, limit = _place(arguments.fasta, cancel), arguments.evalue
    source = str(given) if isinstance(given, Path) else ""
    if isinstance(given, Path) and given.suffix == SUFFIX:
        made = load_network(given)
        check_scoring(arguments, made)
        scheme = _scheme_of(arguments, made, cancel)
        limit = made.evalue if limit is None else limit
        return NetworkRequest(made, source, limit, scheme, context=made.context)
    check_method(arguments)
    sequences = open_any_database(given, cancel=cancel, listed=False) if isinstance(given, Path) else given
    return NetworkRequest(sequences, source, evalue if limit is None else limit, **_how(arguments, sequences))


def _how(arguments: argparse.Namespace, sequences: EncodedDatabase) -> dict[str, Any]:
    """Return scoring, engine, context and strand of a comparison."""
    scheme, options = choose_scheme(arguments, sequences.alphabet), engine_options(arguments)
    return {
        "scheme": scheme,
        "engine": engine_name(arguments),
        "options": options,
        **asked(HOW_SCORED.options, arguments),
    }


def _scheme_of(arguments: argparse.Namespace, made: Network, cancel: threading.Event) -> ScoringScheme | None:
    """Return the requested scheme for a network that has its own in words alone; None if the network has its own."""
    if made.scheme is not None:
        return None
    with suppress(SwguiError):  # its sequences are not there: the steps say so where they are needed
        return choose_scheme(arguments, sequences_of(made, cancel).alphabet)
    return None


def _compared(arguments: argparse.Namespace, cancel: threading.Event) -> NetworkRequest:
    """Return the comparison that clusters, parts and judgements follow from; parameters as of `network_request`."""
    return network_request(arguments, cancel, evalue=DEFAULT_EVALUE)


def cluster_request(
    arguments: argparse.Namespace, cancel: threading.Event, *, aligned: bool | None = None
) -> ClusterRequest:
    """Return the requested clusters; `aligned` as the format of the output needs it if not given."""
    values, form = _fields(ClusterRequest, cluster_options, arguments), CLUSTER_FORMATS[arguments.format]
    compared = _compared(arguments, cancel)
    if aligned is None:
        kept = arguments.save or arguments.history is not None
        aligned = bool(kept or form.has_identities or (form.has_strands and compared.has_strands))
    return ClusterRequest(compared, **values, aligned=aligned)


def split_request(arguments: argparse.Namespace, cancel: threading.Event) -> SplitRequest:
    """Return the requested parts."""
    values = _fields(SplitRequest, split_options, arguments)
    names = values.pop("names") or list(PARTS[: len(values["bins"])])
    check_names(names, values["bins"])
    return SplitRequest(_compared(arguments, cancel), names=names, **values)


def judge_request(arguments: argparse.Namespace, cancel: threading.Event) -> JudgeRequest:
    """Return the requested judgement of clusters: ``clusters`` is their file, or a `ListedClusters`."""
    given, values = arguments.clusters, _fields(JudgeRequest, judge_options, arguments)
    listed = given if isinstance(given, ListedClusters) else read_clusters(given)
    return JudgeRequest(_compared(arguments, cancel), clusters=listed, **values)


def leak_request(arguments: argparse.Namespace, cancel: threading.Event) -> LeakRequest:
    """Return the requested comparison of two sets, with both of them open.

    Parameters
    ----------
    arguments : Namespace
        Its ``train`` and ``test`` are as ``fasta`` of `network_request`; ``test`` is None where ``split`` tells both
        sets apart.

    Raises
    ------
    InvalidParameter
        If a file is a network, or there is not one of ``test`` and ``split``.
    SwguiError
        As `network_request`.
    """
    train, test = _place(arguments.train, cancel), None
    if isinstance(arguments.test, EncodedDatabase) or arguments.test:
        test = _place(arguments.test, cancel)
    if (test is None) == (arguments.split is None):
        message = "Test sequences are given by themselves, or by a table of parts."
        raise InvalidParameter("test", str(test), message, hint="Give TRAIN and TEST, or one file and --split.")
    for name, place in (("training", train), ("testing", test)):
        if isinstance(place, Path) and place.suffix == SUFFIX:
            message = f"'{place}' is a network, which has no residues."
            raise InvalidParameter(name, str(place), message, hint="Give the file of its sequences.")
    check_method(arguments)
    values, space = _fields(LeakRequest, leak_options, arguments), None
    values["sources"] = (str(train) if isinstance(train, Path) else "", str(test) if isinstance(test, Path) else "")
    if test is None:
        parts = values["train_part"], values["test_part"]
        opened, tested, space = parts_of(str(train), values["split"], parts, cancel)
    else:
        opened = open_any_database(train, cancel=cancel, listed=False) if isinstance(train, Path) else train
        kind = opened.alphabet
        tested = open_any_database(test, alphabet=kind, cancel=cancel, listed=False) if isinstance(test, Path) else test
    return LeakRequest(opened, tested, **values | _how(arguments, tested), space=space)


def scoring_and_engine(asked: Any) -> dict[str, object]:
    """Return the values of scoring and engine of a request of a kind here, by `Option.key`; none of the usual scoring.

    Several options decide on the scheme, and on the engine's settings, so that none of them is bound to a field.
    """
    compared, scheme = asked.comparison, asked.comparison.scheme
    values = engine_values(compared.engine, compared.options)
    if scheme is not None and scheme.describe() != usual_scheme(scheme.alphabet).describe():
        values |= scoring_values(scheme, scheme.matrix.name)
    return values


def network_command(asked: NetworkRequest) -> str:
    """Return the terminal command that makes the same network."""
    values = values_of(kinds()[_NETWORK], asked)
    name = Path(str(values["fasta"])).name.partition(".")[0] or "network"
    return command_line("network", network_options(), {**values, "out": f"{name}{SUFFIX}"})


def network_python(asked: NetworkRequest) -> str:
    """Return lines of Python that make the same network."""
    return python_of(kinds()[_NETWORK], asked)


def check_scoring(arguments: argparse.Namespace, network: Network) -> None:
    """Refuse a requested scoring or strand if a saved network has another, or may have.

    Raises
    ------
    InvalidParameter
        If it has.
    """
    again = "Give the file of the sequences, which are then compared again."
    if arguments.strand not in (None, network.strand):
        said = f"made with {network.said}{STRANDS_SAID[network.strand]}"
        raise InvalidParameter(
            "strand", arguments.strand, f"The network was {said}, not on the requested strand.", hint=again
        )
    if arguments.context not in (NO_CONTEXT, network.context):
        raise InvalidParameter(
            "context",
            arguments.context,
            f"The network was made with {network.said}, not with these context scores.",
            hint=again,
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
