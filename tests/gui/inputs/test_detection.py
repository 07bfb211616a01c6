"""Texts of the query box that name a gene and an organism."""

import pytest

from swgui.core.entries.lookup import UnknownAccession
from swgui.gui.inputs.detection import detect_gene


def test_a_gene_that_no_database_has_is_no_sequence():
    with pytest.raises(UnknownAccession, match="There is no gene ADH1 of yeast in any database at hand"):
        detect_gene("ADH1 yeast", ("ADH1", "yeast"), (), None)
    assert detect_gene("MKV LAAGH", ("MKV", "LAAGH"), (), None).rows[0].record.residues == b"MKVLAAGH"
