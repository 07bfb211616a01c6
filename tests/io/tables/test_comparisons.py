"""Tables of two runs compared; those of audits are tested with the command line."""

import csv
import io

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.compare.runs import compare_results
from swgui.core.database import encode_database
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.io.matrices import load_matrix
from swgui.io.statistics import load_statistics
from swgui.io.table_files import write_tsv
from swgui.io.tables.comparisons import COMPARISON_COLUMNS, comparison_comments, comparison_table
from tests.asking import BLOSUM62, altered, answer, search_request


def test_a_comparison_is_written_row_by_row():
    codes = np.random.default_rng(7).integers(0, 20, size=(12, 50)).astype(np.uint8)
    subjects = [SequenceRecord(f"s{at}", f"number {at}", PROTEIN.decode(row)) for at, row in enumerate(codes)]
    request = search_request(
        queries=(subjects[3],), database=encode_database(subjects, PROTEIN), scheme=BLOSUM62, top=4, max_evalue=1e9,
        engine="reference",
    )  # fmt: skip
    one = answer(request)
    pam = ScoringScheme.from_blast(load_matrix("PAM30", PROTEIN), 9, 1)
    other = answer(altered(request, scheme=pam))
    comparison = compare_results(one, other, load_statistics(BLOSUM62), load_statistics(pam))
    file = io.StringIO()
    write_tsv(comparison_table(comparison), file, comparison_comments(comparison))
    text = file.getvalue()
    assert "# run 1, matrix: BLOSUM62\n" in text
    assert "# run 2, matrix: PAM30\n" in text
    rows = list(csv.DictReader((line for line in text.splitlines() if not line.startswith("#")), delimiter="\t"))
    assert list(rows[0]) == [column.key for column in COMPARISON_COLUMNS]
    assert len(rows) == len(comparison)
    first = rows[0]
    assert (first["state"], first["sseqid"], first["stitle"]) == ("moved", "s3", "number 3")
    assert (first["rank_1"], first["rank_2"], first["rank_change"]) == ("1", "1", "0")
    assert int(first["score_1"]) == int(one.queries[0].scores[3])
    assert int(first["score_2"]) == int(other.queries[0].scores[3])
    for row in rows:
        assert row["state"] in ("moved", "new", "lost")
        assert row["evalue_1"]  # also where it is not listed
        assert row["evalue_2"]
        if row["state"] == "new":
            assert int(row["rank_1"]) > 4 >= int(row["rank_2"])
