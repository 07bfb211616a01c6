"""Shares of a search put together in memory: two tracks, frameshifts, masks and saved files of shares."""

import threading

import numpy as np
import pytest

import swgui.io  # noqa: F401, the alphabets of files
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.plain import replace
from swgui.core.profiles.recipe import IterationSettings
from swgui.core.records import Letters, SequenceRecord
from swgui.core.search import Search
from swgui.core.several.joined import joined
from swgui.core.several.shares import Share
from swgui.core.translation.programs import Translation
from swgui.io.saved.share import check_together, read_share, save_share
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.several.shares import SharedSearch, merge_steps, share_steps
from swgui.jobs.stage import run_to_end
from tests.core.several.test_joined import BLOSUM62, records, same, search, with_relatives

LETTERS = "ACDEFGHIKLMNPQRSTVWY"


def in_two_tracks(chance, made):
    return [
        replace(one, letters=Letters("3Di", bytes(chance.choice(list(LETTERS.encode()), len(one.residues)).tolist())))
        for one in made
    ]


def cases(name):
    """Return records of the database, their alphabet, queries, and how they are searched."""
    chance = np.random.default_rng(len(name))
    queries = [one for one in records(chance, 8, LETTERS, 120) if len(one.residues) > 40][:2]
    if name == "frameshifts":
        made = records(chance, 30, "ACGT", 500)
        coded = b"ATGAAAGTGCTGTGGGCGGCGCTGCTGGTGACCTTTCTGGCGGGCTGCCAGGCGAAAGTGGAACAGGCGGTG"
        made[7] = SequenceRecord("s7", "", made[7].residues + coded[:33] + b"A" + coded[33:] + made[7].residues)
        queries = [SequenceRecord("q", "", b"MKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEWQSG")]
        return made, NUCLEOTIDE, queries, {"translation": Translation("tblastn", shift=15)}
    made = with_relatives(chance, records(chance, 80, LETTERS), queries, LETTERS)
    if name == "two tracks":
        return in_two_tracks(chance, made), PROTEIN, in_two_tracks(chance, queries), {}
    queries = [replace(one, residues=one.residues + b"S" * 30) for one in queries]
    return made, PROTEIN, queries, {"mask": True}


@pytest.mark.parametrize("name", ["two tracks", "frameshifts", "masked"])
@pytest.mark.parametrize("several", [False, True])
def test_shares_make_the_whole(tmp_path, name, several):
    made, alphabet, queries, how = cases(name)
    parts = [made[:11], made[11:]] if several else [made]
    database = joined([encode_database(some, alphabet, f"d{n}") for n, some in enumerate(parts)])
    asked = Search(scheme=BLOSUM62, engine="auto" if name == "frameshifts" else "cpu", **how)
    request = SearchRequest(tuple(queries), database, asked)
    shares = []
    for number in (3, 1, 2):
        shared = run_to_end(share_steps(request, Share(number, 3), threading.Event()))
        path = tmp_path / f"{number}.part"
        save_share(shared.shares[0], request.queries, asked, database, path)
        shares.append(read_share(path))
    ordered = check_together(shares)
    given = SharedSearch(replace(request, queries=ordered[0].queries), tuple(part.scores for part in ordered))
    merged = run_to_end(merge_steps(given, threading.Event()))
    whole = search(database, queries, **(how | {"scheme": BLOSUM62, "engine": asked.engine}))
    same(merged, whole)
    assert merged.asked == asked
    assert (merged.search, merged.information) == (whole.search, whole.information)
    assert sum(map(len, (query.hits for query in merged.queries))) > 0


def test_stop_leaves_no_share():
    made, alphabet, queries, _ = cases("masked")
    request = SearchRequest(tuple(queries), encode_database(made, alphabet), Search(scheme=BLOSUM62, engine="cpu"))
    cancel = threading.Event()
    cancel.set()
    assert run_to_end(share_steps(request, Share(1, 2), cancel)) is None


def test_rounds_are_refused():
    made, alphabet, queries, _ = cases("masked")
    asked = Search(scheme=BLOSUM62, iteration=IterationSettings(), options=EngineOptions())
    request = SearchRequest(tuple(queries), encode_database(made, alphabet), asked)
    with pytest.raises(InvalidParameter, match="rounds"):
        run_to_end(share_steps(request, Share(1, 2), threading.Event()))
