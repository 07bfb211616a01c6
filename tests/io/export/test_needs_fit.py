"""Which exports need the fit to all scores of a search."""

import pytest

from swgui.io.export import ExportOptions, find_format


@pytest.mark.parametrize("name", ["tsv", "csv", "blast6", "blast7"])
def test_tables_need_the_fit_for_its_columns_alone(name):
    form = find_format(name)
    assert not form.fitted(ExportOptions())
    assert not form.fitted(ExportOptions(columns=("sseqid", "evalue")))
    assert form.fitted(ExportOptions(columns=("sseqid", "zscore")))
    assert form.fitted(ExportOptions(columns=("evalue_fit",)))


def test_what_holds_every_number_needs_it():
    assert find_format("json").fitted(ExportOptions())
