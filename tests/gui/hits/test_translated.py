"""Hits of translated searches in the window's own columns and views: bases along the axis, residues in the rows."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.records import SequenceRecord
from swgui.core.translation.frames import translate
from swgui.core.translation.programs import Translation
from swgui.gui.hits.data import HitData
from swgui.gui.results.clipboard import alignments_as_fasta
from swgui.gui.viewer.residues import styling
from swgui.gui.viewer.rows.layout import lay_out_rows
from swgui.gui.viewer.rows.second_track import codons_of_hit
from swgui.gui.viewer.rows.view import RowsView
from swgui.gui.viewer.shown import ShownHit
from swgui.gui.viewer.stacked.layout import stack_row
from swgui.gui.words.formatting import alignments, strand
from tests.asking import BLOSUM62, answer, search_request
from tests.described import describe_hits

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")


@pytest.fixture(params=[1, -1])
def found(request, rng):
    """A blastx search whose query has a gene of 60 codons from base 101 on, on either strand, and its data."""
    dna = rng.integers(0, 4, 501).astype(np.uint8)
    gene = dna[100:280].copy()
    if request.param < 0:
        gene = NUCLEOTIDE.reverse_complement(gene)
    protein = SequenceRecord("p", "", PROTEIN.decode(translate(gene, 1)))
    wanted = search_request(
        queries=(SequenceRecord("dna", "", NUCLEOTIDE.decode(dna)),),
        database=encode_database([protein], PROTEIN, "one"),
        scheme=BLOSUM62,
        max_evalue=1e-10,
        engine="cpu",
        translation=Translation("blastx"),
    )
    result = answer(wanted)
    data = HitData(result.hit_list(0))
    data.add(describe_hits(result, 0, [0]))
    return data, request.param, protein, NUCLEOTIDE.decode(gene)


def test_positions_are_bases_and_rows_are_residues(found):
    data, sign, protein, _ = found
    hit = data.hit(0)
    layout = lay_out_rows(hit, data.result.scheme)
    assert layout.query.tobytes() == layout.subject.tobytes() == protein.residues
    first, last = (101, 278) if sign > 0 else (280, 103)
    assert (layout.query_positions[0], layout.query_positions[-1]) == (first, last)
    assert layout.residue_numbers(hit)[1].tolist() == list(range(1, 61))
    assert [ends for _, ends in data.along_query(0)] == [(101, 280)]
    row = stack_row(hit, data.result.scheme)
    assert len(row.symbols) == 501
    assert bytes(row.symbols[[100, 277] if sign > 0 else [102, 279]]).decode() == "".join(
        chr(protein.residues[at]) for at in ((0, -1) if sign > 0 else (-1, 0))
    )
    assert strand(hit.strand) == ("frame +2" if sign > 0 else "frame -3")


def test_dna_and_protein_are_extracted(found):
    data, _, protein, gene = found
    texts = [alignments_as_fasta(data, 0, -1, what) for what in ("dna", "read", "subject")]
    dna, read, residues = ("".join(text.splitlines()[1:]) for text in texts)
    assert read.encode() == protein.residues
    assert dna.encode() == gene
    assert residues.encode() == protein.residues


def test_codons_stand_beside_what_is_translated(found, qtbot):
    data, _, _, gene = found
    hit = data.hit(0)
    shown = ShownHit.of(data.result, hit)
    layout = lay_out_rows(hit, data.result.scheme, flank=10)
    codons = codons_of_hit(shown, layout)
    assert codons.sides == (True, False)
    rows = codons.rows[0]
    inside = layout.subject_positions > 0
    assert rows[inside].tobytes() == gene
    assert PROTEIN.decode(translate(NUCLEOTIDE.encode(rows.tobytes().replace(b" ", b"")), 1)) == bytes(
        symbol for symbol in layout.query.tobytes() if symbol != ord(" ")
    )
    assert (codons.rows[1] == ord(" ")).all()
    area = RowsView()
    qtbot.addWidget(area)
    area.show_hit(shown)
    narrow = area.glyphs().cell_width
    area.set_codons(True)
    assert area.has_codons
    assert area.glyphs().cell_width > narrow
    area.set_codons(False)
    assert area.glyphs().cell_width == narrow
    area.clear()
    assert not area.has_codons


def test_stops_of_translated_dna_are_marked(found, qtbot):
    data, *_ = found
    hit = data.hit(0)
    layout = lay_out_rows(hit, data.result.scheme, flank=60)
    area = RowsView()
    qtbot.addWidget(area)
    area.set_flank(60)
    area.show_hit(ShownHit.of(data.result, hit))
    stop = styling.style_of(area.scheme, styling.STOP)
    assert (layout.query == ord("*")).any()
    assert ((area.styles[0] == stop) == (layout.query == ord("*"))).all()
    assert not (area.styles[1] == stop).any()


def test_frames_are_counted_and_no_strands(found):
    data, *_ = found
    assert data.in_frames
    assert alignments(7, 3, frames=True) == "7 alignments, 3 frames"
    assert alignments(7, 2, noun=False) == "7, 2 strands"
