"""The methods text of a network; every number from its file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from swgui.core.words import count
from swgui.io.cells import clean_text
from swgui.io.methods.forms import MethodsText
from swgui.io.methods.references import ALTSCHUL, GOTOH, KARLIN_ALTSCHUL, SMITH_WATERMAN, program
from swgui.io.network.graphs import Network


def network_methods(network: Network) -> MethodsText:
    """Return the methods text of a network of sequences, as it was compared."""
    return _cited(_sentences(network))


def grouping_methods(names: Sequence[str], scoring: str, said: Iterable[str]) -> MethodsText:
    """Return the methods text of what follows from all pairs of sequences.

    Parameters
    ----------
    names : sequence of str
        Of the sets of sequences.
    said : iterable of str
        What came of it, a sentence each.
    """
    scored = (
        [f"Scores: {clean_text(scoring)}; E as of {KARLIN_ALTSCHUL.short} and {ALTSCHUL.short}."] if scoring else []
    )
    sets = " and ".join(f"'{clean_text(name)}'" for name in names)
    compared = (
        f"The sequences of {sets} were compared with swgui, which computes the exact Smith-Waterman "
        f"score ({SMITH_WATERMAN.short}; affine gaps as in {GOTOH.short}) of every pair; no filter is applied."
    )
    return _cited([compared, *scored, *said])


def _cited(sentences: Iterable[str]) -> MethodsText:
    cited = (program("", ""), SMITH_WATERMAN, GOTOH, KARLIN_ALTSCHUL, ALTSCHUL)
    return MethodsText(" ".join(sentences), cited)


def _sentences(network: Network) -> Iterator[str]:
    residues = int(network.lengths.sum())
    pairs = len(network.ids) * (len(network.ids) - 1) // 2
    which = "each of" if network.complete else "some of"
    checksum = f"; content checksum {network.checksum}" if network.checksum else ""
    yield (
        f"{count(len(network.ids), 'sequence')} of '{clean_text(network.name)}' ({residues:,} residues{checksum}) were "
        f"compared all against all with swgui, which computes the exact Smith-Waterman score ({SMITH_WATERMAN.short}; "
        f"affine gaps as in {GOTOH.short}) of {which} the {pairs:,} pairs; no heuristic filter is applied."
    )
    if not network.complete:
        yield network.partly
    scoring = network.scoring or (network.scheme.describe() if network.scheme is not None else "")
    strands = {"both": " Nucleotides were compared on both strands.", "plus": " Only plus strands were compared."}
    yield (f"Scores: {clean_text(scoring)}." if scoring else "") + strands.get(network.strand, "")
    yield (
        f"Pairs with E ≤ {network.evalue:g} ({KARLIN_ALTSCHUL.short}; {ALTSCHUL.short}) and identical sequences were "
        f"kept: {count(len(network.edges), 'edge')}; {network.census.joined}."
    )
