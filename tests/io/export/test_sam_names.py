"""Names of references in SAM: each its own, whatever the subjects are called."""

from __future__ import annotations

import io
from itertools import permutations

import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.records import SequenceRecord
from swgui.io.export import write_hits
from tests.asking import answer
from tests.described import describe_hits
from tests.io.saved.saved_searches import protein_request

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")


@pytest.mark.parametrize("names", sorted(set(permutations(["x", "x_3", "x", "x_4"]))), ids="-".join)
def test_every_reference_has_a_name_of_its_own(tmp_path, names):
    pysam = pytest.importorskip("pysam")
    residues = b"MKVLAWWHCDEFGHIKLMNPQRSTVWY"
    records = [SequenceRecord(name, "", residues + b"A" * at) for at, name in enumerate(names)]
    database = encode_database(records, PROTEIN, "names")
    result = answer(
        protein_request(queries=(SequenceRecord("q", "", residues),), database=database, top=9, max_evalue=1e9)
    )
    assert len(result.queries[0].hits) == len(names)
    text = io.StringIO()
    write_hits("sam", result, describe_hits(result, 0, range(len(names))), text)
    path = tmp_path / "x.sam"
    path.write_text(text.getvalue())
    with pysam.AlignmentFile(str(path), check_sq=True) as file:
        lengths = dict(zip(file.references, file.lengths, strict=True))
        assert len(lengths) == len(names)
        assert sorted(lengths[read.reference_name] for read in file) == sorted(
            len(record.residues) for record in records
        )
