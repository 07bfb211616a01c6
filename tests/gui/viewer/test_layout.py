"""Where residues and numbers of an alignment stand."""

import numpy as np
import pytest

from swgui.core.alignment import Op
from swgui.core.alphabet import PROTEIN
from swgui.core.plain import replace
from swgui.core.score_profile import PositionGaps
from swgui.gui.viewer.rows import text_form
from swgui.gui.viewer.rows.layout import (
    Kind,
    block,
    block_count,
    charge_by_position,
    describe_column,
    fitting_columns,
    lay_out_rows,
    ruler,
)
from tests.given_hits import changed


def text(symbols):
    return symbols.tobytes().decode()


@pytest.fixture
def hits(made):
    return {hit.db_index: hit for hit in made.describe(made.result.hit_list(0), range(5))}


def test_rows_hold_the_sequences(made, hits):
    for hit in hits.values():
        layout = lay_out_rows(hit, made.result.scheme)
        query, subject = text(layout.query).replace("-", ""), text(layout.subject).replace("-", "")
        a = hit.alignment
        assert query.encode() == hit.query_record.residues[a.query_start : a.query_end]
        assert subject.encode() == hit.subject.residues[a.subject_start : a.subject_end]
        assert len(layout) == hit.counts.length
        assert (layout.kinds == Kind.IDENTITY).sum() == hit.counts.nident
        assert np.isin(layout.kinds, (Kind.IDENTITY, Kind.POSITIVE)).sum() == hit.counts.positive
        assert (layout.kinds == Kind.GAP).sum() == hit.counts.gaps
        assert layout.running[-1] == hit.score  # gap costs included


def test_match_line(made, hits):
    layout = lay_out_rows(hits[2], made.result.scheme)
    for q, m, s in zip(text(layout.query), text(layout.match), text(layout.subject), strict=True):
        assert m == (q if q == s else "+")
    gapped = lay_out_rows(hits[1], made.result.scheme)
    assert text(gapped.subject)[30:36] == "------"
    assert text(gapped.match)[30:36] == " " * 6
    assert gapped.scores[30:36].tolist() == [-12, -1, -1, -1, -1, -1]


def test_gaps_cost_what_the_profile_says_at_their_positions():
    gaps = PositionGaps(*(np.array(costs) for costs in ([5, 6, 7, 8], [1, 2, 3, 4], [9, 10, 11, 12], [3, -2, -1, 4])))
    side = np.array([-1, Op.INSERTION, Op.INSERTION, Op.DELETION, Op.DELETION, -1])
    scores = np.full(6, 40, dtype=np.int32)
    charge_by_position(scores, side, np.array([0, 1, 2, -1, -1, 3]), gaps)
    assert scores.tolist() == [40, -10, 1, -7, -3, 40]


def test_flanks_stand_beside_the_alignment(made, hits):
    layout = lay_out_rows(hits[3], made.result.scheme, flank=7)
    assert len(layout) == 7 + 40 + 7
    assert text(layout.query)[:7] == hits[3].query_record.residues[3:10].decode()
    assert text(layout.subject)[:7] == "   GGGG"
    assert text(layout.subject)[-7:] == "WWWW   "
    assert layout.subject_positions[:8].tolist() == [0, 0, 0, 1, 2, 3, 4, 5]
    assert (layout.kinds[:7] == Kind.FLANK).all()
    assert layout.running[-1] == hits[3].score
    assert lay_out_rows(hits[0], made.result.scheme, flank=7).kinds.max() == Kind.IDENTITY  # nothing beyond


def test_minus_strand_shows_the_query_forwards(minus_hit):
    result, hit = minus_hit
    layout = lay_out_rows(hit, result.scheme)
    assert text(layout.query) == "CCGGTTTA" == text(layout.subject)
    assert layout.query_positions.tolist() == list(range(3, 11))
    assert layout.subject_positions.tolist() == list(range(10, 2, -1))
    assert text(layout.match) == "||||||||"
    with_flank = lay_out_rows(hit, result.scheme, flank=2)
    assert text(with_flank.query) == "AACCGGTTTA  "
    assert text(with_flank.subject) == "CCCCGGTTTAGG"
    assert with_flank.subject_positions.tolist() == list(range(12, 0, -1))


def test_t_against_u_is_an_identity(minus_hit):
    result, hit = minus_hit
    rna = changed(hit, subject=replace(hit.subject, residues=hit.subject.residues.replace(b"T", b"U")))
    layout = lay_out_rows(rna, result.scheme)
    assert layout.kinds.tolist() == [Kind.IDENTITY] * 8
    assert text(layout.match) == "|" * 8


def test_a_query_of_rna_keeps_its_letters_on_the_minus_strand(minus_hit):
    result, hit = minus_hit
    record = replace(hit.query_record, residues=hit.query_record.residues.replace(b"T", b"U"))
    layout = lay_out_rows(changed(hit, query_record=record), result.scheme)
    assert text(layout.query) == "CCGGUUUA"
    assert text(layout.subject) == "CCGGTTTA"
    assert text(layout.match) == "|" * 8


def test_blocks_and_ruler(made, hits):
    layout = lay_out_rows(hits[1], made.result.scheme)  # 60 columns, subject lacks 31 to 36
    assert block_count(layout, 25) == 3
    middle = block(layout, 25, 1)
    assert (middle.start, middle.stop) == (25, 50)
    assert (middle.query_first, middle.query_last, middle.subject_first, middle.subject_last) == (26, 50, 26, 44)
    assert ruler(layout.query_positions[25:50]) == [(4, 30), (14, 40), (24, 50)]
    inside_gap = block(layout, 3, 11)  # columns 34 to 36
    assert (inside_gap.subject_first, inside_gap.subject_last) == (0, 0)
    assert [fitting_columns(n) for n in (3, 19, 60, 119)] == [10, 10, 60, 110]


def test_column_is_described(made, hits):
    layout = lay_out_rows(hits[1], made.result.scheme, flank=3)
    assert describe_column(layout, 0) == "Q 1 M : S 1 M, +5, running score 5"
    assert describe_column(layout, 30).endswith(": S gap, −12, running score 138")
    flank = lay_out_rows(hits[3], made.result.scheme, flank=6)
    assert describe_column(flank, 0) == "Q 5 T : S end, outside the local alignment"
    assert layout.column_of_query(37) == 36
    assert flank.column_of_query(1) == -1


def test_text_forms(made, hits):
    hit = hits[1]
    layout = lay_out_rows(hit, made.result.scheme)
    wrapped = text_form.wrapped_text(layout, 40).splitlines()
    assert wrapped[0] == f"Query     1  {hit.query_record.residues[:40].decode()}  40"
    assert (
        wrapped[2]
        == f"Subject   1  {hit.subject.residues[:30].decode()}------{hit.subject.residues[30:34].decode()}  34"
    )
    assert wrapped[4].split() == ["Query", "41", hit.query_record.residues[40:].decode(), "60"]
    assert text_form.bare_text(layout, 28, 38).splitlines()[2] == text(layout.subject)[28:38]
    fasta = text_form.aligned_fasta((hit.query_record, hit.subject), layout, 20, 40, gaps=False).splitlines()
    assert fasta[0] == ">sp|P02768|ALBU_HUMAN/21-40 Albumin OS=Homo sapiens OX=9606 GN=ALB PE=1 SV=2"
    assert fasta[1] == hit.query_record.residues[20:40].decode()
    assert fasta[2].startswith(">sp|P02770|ALBU_RAT/21-34 ")
    assert fasta[3] == hit.subject.residues[20:34].decode()
    whole = text_form.whole_text(hit, layout, PROTEIN)
    assert "Identities 54/60 (90.0 %), gaps 6/60 (10.0 %)" in whole
    assert "Query 1 to 60 (100.0 %), subject 1 to 54 (100.0 %)" in whole


def test_a_result_without_statistics_shows_no_evalue(made):
    result, _ = made.make(statistics=False)
    hit = next(iter(made.describe(result.hit_list(0), [0])))
    assert text_form.facts(hit)[0] == "Score 300"
