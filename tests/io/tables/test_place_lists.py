"""Lists of places that this program wrote itself, now and in versions before."""

import pytest

from swgui.io.tables.place_lists import OWN, ListedPlace, read_places

PLACES = [ListedPlace("=q", "s|1", 4, 13, 1), ListedPlace('"q', "s2", 2, 8, -1), ListedPlace("q", "c", 36, 6, -1)]
NOW = (
    "qseqid\tsseqid\tsstart\tsend\tsstrand\tdifferences\n"
    "'=q\ts|1\t5\t13\tplus\t0\n"
    '"q\ts2\t8\t3\tminus\t1\n'
    "q\tc\t6\t37\tminus\t1\n"  # across the origin of a circular record
)
BEFORE = (
    "query\tsequence\tstart\tend\tstrand\tdifferences\n"
    "'=q\ts|1\t5\t13\t+\t0\n"
    '"""q"\ts2\t3\t8\t-\t1\n'
    "q\tc\t37\t6\t-\t1\n"
)


@pytest.mark.parametrize("text", [NOW, BEFORE], ids=["now", "before"])
def test_own_tables_are_read(text, tmp_path):
    path = tmp_path / "places.tsv"
    path.write_text(text)
    assert read_places(path) == (OWN, PLACES)


def test_own_tables_by_commas_are_read(tmp_path):
    path = tmp_path / "places.csv"
    path.write_text(NOW.replace('"q', "q").replace("\t", ","))
    assert read_places(path)[1][0] == PLACES[0]
