"""Where alignments and differences of a pair lie among the features of the subject."""

from swgui.core.features import Feature
from swgui.core.pair.view import differences
from swgui.core.plain import replace
from swgui.gui.inputs.features import FeatureChoice
from swgui.gui.pair.differences import differences_source
from swgui.gui.pair.places import SubjectFeatures
from swgui.gui.pair.result import alignments_source
from swgui.gui.viewer.rows.columns import PairColumns
from tests.gui.pair.test_columns import made_up


def cell(source, row):
    return next(column for column in source.columns if column.key == "locus").text(row)


def test_the_tables_say_where_their_rows_lie(tasks, qtbot):
    result, found = made_up("nucleotide", "plus", 5, runs=80)
    columns = PairColumns(result, found)
    listed = differences(found.alignment, columns.query, columns.subject, result.scheme)
    first = int(listed.subject[0])
    gene = Feature("gene", ((first, first + 1),), "yfgA", 1)
    result = replace(result, alignments=(found,), subject=replace(result.subject, features=(gene,)))
    features = SubjectFeatures(tasks, FeatureChoice(tasks))
    with qtbot.waitSignal(features.changed):
        features.use(result)
    assert cell(alignments_source(result, features.locator), 0) == "all of yfgA"
    source = differences_source(listed, len(result.query.residues), backwards=False, locator=features.locator)
    assert cell(source, 0) == "all of yfgA"
    assert cell(source, 1).endswith("bp after yfgA")
    assert not any(column.key == "locus" for column in alignments_source(result).columns)
