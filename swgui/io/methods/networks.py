"""The methods text of a network; every number from its file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from swgui.core.contexts import NO_CONTEXT
from swgui.core.words import count
from swgui.io.cells import clean_text
from swgui.io.methods.forms import MethodsText
from swgui.io.methods.references import ALTSCHUL, CONTEXTS, GOTOH, KARLIN_ALTSCHUL, SMITH_WATERMAN, program
from swgui.io.network.graphs import Network

_FITTED: Final = (
    "each sequence has log-odds of the residues that the library of contexts expects at its positions "
    f"({CONTEXTS.short}), each pair is scored by the profile of either, and E is that of both, fitted to decoys"
)


def network_methods(network: Network) -> MethodsText:
    """Return the methods text of a network of sequences, as it was compared."""
    return _cited(_sentences(network), by_context=network.context != NO_CONTEXT)


def grouping_methods(names: Sequence[str], scoring: str, context: str, said: Iterable[str]) -> MethodsText:
    """Return the methods text of what follows from all pairs of sequences.

    Parameters
    ----------
    names : sequence of str
        Of the sets of sequences.
    context : str
        Library of contexts of the sequences' scores, or ``none``.
    said : iterable of str
        What came of it, a sentence each.
    """
    by_context = context != NO_CONTEXT
    law = _FITTED if by_context else f"E as of {KARLIN_ALTSCHUL.short} and {ALTSCHUL.short}"
    scored = [f"Scores: {clean_text(scoring)}; {law}."] if scoring else []
    sets = " and ".join(f"'{clean_text(name)}'" for name in names)
    compared = (
        f"The sequences of {sets} were compared with swgui, which computes the exact Smith-Waterman "
        f"score ({SMITH_WATERMAN.short}; affine gaps as in {GOTOH.short}) of every pair; no filter is applied."
    )
    return _cited([compared, *scored, *said], by_context=by_context)


def _cited(sentences: Iterable[str], *, by_context: bool) -> MethodsText:
    law = (CONTEXTS,) if by_context else (KARLIN_ALTSCHUL, ALTSCHUL)
    return MethodsText(" ".join(sentences), (program("", ""), SMITH_WATERMAN, GOTOH, *law))


def _sentences(network: Network) -> Iterator[str]:
    residues = int(network.lengths.sum())
    pairs = len(network.ids) * (len(network.ids) - 1) // 2
    which = "each of" if network.complete else "some of"
    checksum = f"; content checksum {network.checksum}" if network.checksum else ""
    letters = f"{count(residues, network.letter)}{checksum}"
    yield (
        f"{count(len(network.ids), 'sequence')} of '{clean_text(network.name)}' ({letters}) "
        "were compared all against all with swgui, which computes the exact Smith-Waterman score "
        f"({SMITH_WATERMAN.short}; affine gaps as in {GOTOH.short}) of {which} the {pairs:,} pairs; no heuristic "
        "filter is applied."
    )
    if not network.complete:
        yield network.partly
    by_context = network.context != NO_CONTEXT
    known = network.scheme is not None or by_context
    scoring = network.scoring or (network.said if known else "")
    strands = {"both": " Nucleotides were compared on both strands.", "plus": " Only plus strands were compared."}
    yield (f"Scores: {clean_text(scoring)}." if scoring else "") + strands.get(network.strand, "")
    law = _FITTED if by_context else f"{KARLIN_ALTSCHUL.short}; {ALTSCHUL.short}"
    yield (
        f"Pairs with E ≤ {network.evalue:g} ({law}) and identical sequences were "
        f"kept: {count(len(network.edges), 'edge')}; {network.census.joined}."
    )
