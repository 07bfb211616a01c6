"""Ends of alignments with long queries that are worth too little."""

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.profiles.recipe import LONG_QUERY, Recipe
from swgui.core.records import SequenceRecord
from swgui.jobs.iterate.request import in_rounds
from tests.asking import BLOSUM62, answer, search_request
from tests.jobs.iterate.family import evolved, family_records, sequence


@pytest.fixture(scope="module")
def database():
    """Relatives whose second half is hardly one."""
    rng = np.random.default_rng(8)
    first, second = sequence(rng, 150), sequence(rng, 150)
    query = SequenceRecord("query", "", (first + second).encode())
    kin = [
        SequenceRecord(f"far{n}", "", (evolved(rng, first, 0.6) + evolved(rng, second, 0.22)).encode())
        for n in range(12)
    ]
    return encode_database([query, *kin, *family_records()], PROTEIN, "long")


def rows(database, **recipe):
    search = search_request(queries=(database.record(0),), database=database, scheme=BLOSUM62, engine="cpu")
    settings = IterationSettings(rounds=2, recipe=Recipe(**recipe))
    return answer(in_rounds(search, settings)).queries[0].rounds.rounds[0].alignment.rows[1:]


def test_rows_of_a_long_query_lose_ends_and_keep_their_places(database):
    assert len(database.record(0).residues) > LONG_QUERY
    whole, cut = rows(database, end_gain=0.0), rows(database, end_gain=0.4)
    by_id = {row.id: row for row in whole}
    residues = {one.id: one.residues for one in map(database.record, range(len(database)))}
    shorter = 0
    for row in cut:
        letters = b"".join(
            (PROTEIN.letters[code].encode() if code < 200 else b"") + row.insertions.get(column, b"")
            for column, code in enumerate(row.codes.tolist())
        )
        assert residues[row.id][row.start : row.end] == letters
        shorter += row.residues < by_id[row.id].residues
    assert shorter > 3
