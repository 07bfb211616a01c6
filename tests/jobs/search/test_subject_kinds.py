"""Kinds of subjects: one from outside, that is read from the end, is searched, fitted, aligned and described."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.compare.audit import audit
from swgui.core.compare.audit_summary import summary
from swgui.core.database import ArrayDatabase, encode_database
from swgui.core.errors import InvalidParameter
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.subject_kind import SEQUENCES, Refusal, SubjectKind
from swgui.core.verdict.hits import Evidence, sentence
from swgui.io.methods.forms import KindMethods
from swgui.io.methods.searches import references, search_methods
from swgui.io.tables.hits import read_hit_table
from swgui.jobs.iterate.again import why_not
from swgui.jobs.search.describe import describe_list
from swgui.jobs.search.sequences import SEQUENCES as PLAIN
from swgui.jobs.search.shuffles import check_shuffled
from swgui.jobs.search.subjects import SubjectWork
from tests.asking import BLOSUM62, answer, search_request
from tests.reference import reference_scores

BACKWARDS = SubjectKind(
    "backwards",
    unit="steps",
    caution="It was read from the end.",
    work=f"{__name__}:WORK",
    methods=f"{__name__}:METHODS",
    refused={
        "shuffles": Refusal("'{name}' is read from the end, and shuffles have none."),
        "rounds": Refusal("'{name}' is read once."),
    },
)
METHODS = KindMethods(lambda result: ("Subjects were read from the end.",), lambda result: [])
QUERY = "MKVLAWGRTNDEHHIKLMFPSTWYVACDEF"


class Reversed(ArrayDatabase):
    """Sequences that a search reads from the end."""

    @property
    def subject_kind(self) -> SubjectKind:
        return BACKWARDS


def turned(database):
    """Return the sequences from the end, in the same order."""
    texts = [PROTEIN.decode(database.subject(index)[::-1]) for index in range(len(database))]
    return encode_database([SequenceRecord(f"s{at}", "", text) for at, text in enumerate(texts)], PROTEIN)


class FromEnd:
    """An engine that scores subjects from the end, by another."""

    def __init__(self, engine) -> None:
        self.engine, self.name, self.devices = engine, engine.name, engine.devices

    def chunk_limits(self, queries, database):
        return self.engine.chunk_limits(queries, database)

    def score(self, queries, database, plans, scheme, cancel):
        return self.engine.score(queries, turned(database), plans, scheme, cancel)


def _prepared(request, database, cancel):
    return replace(request, search=replace(request.search, composition="none")), ["Read from the end."]


def _aligned(listed, places, threads, check):
    result = replace(listed.result, database=turned(listed.result.database))
    lists = [replace(one, result=result) for one in listed.lists]
    return PLAIN.aligned(type(listed)(lists, [listed.rows]), places, threads, check)


WORK = SubjectWork(_prepared, lambda engine, *_: FromEnd(engine), PLAIN.fits, _aligned)


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(3)
    texts = ["".join(rng.choice(list("ARNDCQEGHILKMFPSTWYV"), 60)) for _ in range(20)] + [QUERY[::-1]]
    made = encode_database([SequenceRecord(f"s{at}", "", text.encode()) for at, text in enumerate(texts)], PROTEIN, "b")
    database = Reversed(*(getattr(made, name) for name in ("name", "alphabet", "codes", "offsets", "order", "ids")),
                        descriptions=made.descriptions)  # fmt: skip
    queries = (SequenceRecord("q", "", QUERY.encode()),)
    return answer(search_request(queries=queries, database=database, engine="cpu", scheme=BLOSUM62))


def test_a_kind_from_outside_is_searched_and_aligned_by_its_own_functions(result):
    found = result.queries[0]
    subjects = [result.database.subject(at)[::-1] for at in range(len(result.database))]
    profile = BLOSUM62.matrix.scores[PROTEIN.encode(QUERY.encode())]
    assert found.scores.tolist() == reference_scores(profile, subjects, BLOSUM62.gap_first, BLOSUM62.gap_extend)
    assert found.hits.db_index[0] == 20
    assert found.hits.composition is None
    (table,) = describe_list(result.hit_list(0), [0]).tables
    assert table.scores.tolist() == [found.scores[20]]
    assert "Read from the end." in result.information


def test_texts_and_refusals_of_a_kind_come_from_its_record(result, tmp_path):
    assert search_methods(result).paragraph.startswith("Subjects were read from the end.")
    assert not [one for one in references(result) if "Henikoff" in one.short]
    assert sentence(Evidence(-9.0, subjects=BACKWARDS)).endswith("It was read from the end.")
    assert "huffle" not in sentence(Evidence(0.5, subjects=BACKWARDS))
    with pytest.raises(InvalidParameter, match="'b' is read from the end"):
        check_shuffled(result.database)
    assert why_not(result) == "'b' is read once."
    assert SEQUENCES.can("shuffles")
    assert result.score_unit == "steps"
    table = tmp_path / "theirs.tsv"
    table.write_text("qseqid\tsseqid\tscore\nq\ts20\t400\n")
    said = " ".join(summary(audit(result, read_hit_table(table), None)))
    assert "units of steps" in said
    assert "are equal" not in said


def test_a_search_in_parts_is_refused_where_the_kind_says_so():
    with pytest.raises(InvalidParameter) as refused:
        replace(BACKWARDS, refused={"parts": Refusal("'{name}' is one.", "Search it whole.", "part")}).check(
            "parts", "b"
        )
    assert (str(refused.value).split("\n")[0][:11], refused.value.name) == ("'b' is one.", "part")
