"""Results made for tests of saved searches."""

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme, match_mismatch
from swgui.io.database.build import save_database
from tests.asking import BLOSUM62, search_request


def protein_request(subjects=40, length=60, database=None, **changes):
    """A search of random proteins with some ties and a fit to shuffles, in well under a second."""
    codes = np.random.default_rng(7).integers(0, 20, size=(subjects, length)).astype(np.uint8)
    records = [
        SequenceRecord(f"sp|P{i:05d}|PROT{i}_TEST", f"Größe {i}", PROTEIN.decode(row[: length - i % 7]))
        for i, row in enumerate(codes)
    ]
    given = {
        "queries": (records[3], SequenceRecord("q 2", "=odd\tname\n>x", records[9].residues[10:])),
        "database": database or encode_database(records, PROTEIN, "random"),
        "scheme": BLOSUM62,
        "top": 12,
        "engine": "cpu",
        "max_hsps": 1,
    }
    return search_request(**(given | changes))


def protein_request_on_disk(folder):
    """The search of random proteins, whose database is a file."""
    request = protein_request()
    path = folder / "database.swdb"
    save_database(request.database, path)
    return replace(request, database=path)


def nucleotide_request():
    """A search of both strands whose statistics are fitted to shuffles."""
    codes = np.random.default_rng(5).integers(0, 4, size=(30, 80)).astype(np.uint8)
    records = [SequenceRecord(f"n{i}", "", NUCLEOTIDE.decode(row)) for i, row in enumerate(codes)]
    return search_request(
        queries=(records[2],),
        database=encode_database(records, NUCLEOTIDE, "dna"),
        scheme=ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 5, -7), 9, 3),
        strand="both",
        top=10,
        engine="cpu",
        max_hsps=1,
    )


def assert_same(one, other):
    """Assert that two results are equal in every value."""
    names = [name for name in one.__struct_fields__ if name not in ("queries", "database", "run_id")]
    for name in names:
        assert getattr(one, name) == getattr(other, name), name
    assert one.database.checksum == other.database.checksum
    assert len(one.queries) == len(other.queries)
    for a, b in zip(one.queries, other.queries, strict=True):
        assert (a.query, a.subjects_scored, a.fit) == (b.query, b.subjects_scored, b.fit)
        for name in ("db_index", "scores", "strands", "bit_scores", "log10_evalues"):
            np.testing.assert_array_equal(getattr(a.hits, name), getattr(b.hits, name), err_msg=name)
            assert getattr(a.hits, name).dtype == getattr(b.hits, name).dtype
        for name in ("scores", "strands"):
            x, y = getattr(a, name), getattr(b, name)
            assert (x is None) == (y is None), name
            if x is not None:
                np.testing.assert_array_equal(x, y)
                assert x.dtype == y.dtype
