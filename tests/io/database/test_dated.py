"""The release of a database, or the day of its files."""

import os
import time

from swgui.io.database.any_file import open_any_database
from swgui.io.database.build import build_database
from swgui.io.database.dated import release_of, release_searched
from swgui.io.database.packed.keeping import older_of
from swgui.io.database.structures import update_of_any
from swgui.io.read_report import ReadReport

DAY = "2026-06-10"


def test_the_day_is_that_of_the_sources_and_a_name_counts_more(tmp_path, user_folders):
    source, out, packed = tmp_path / "one.fasta", tmp_path / "one.swdb", tmp_path / "packed.swdb"
    source.write_text(">a\nMKVLAAGHW\n>b\nACDEFGHIKL\n")
    seconds = time.mktime(time.strptime(DAY, "%Y-%m-%d")) + 3600
    os.utime(source, (seconds, seconds))
    build_database([source], out)
    assert release_of(source) == release_of(out) == f"file of {DAY}"
    assert release_searched(open_any_database(out)) == release_searched(open_any_database(source)) == f"file of {DAY}"
    assert release_searched(open_any_database(out).arrays()) == f"file of {DAY}"
    build_database([source], packed, packed=True)
    assert release_of(packed) == f"file of {DAY}"
    source.write_text(">a\nMKVLAAGHW\n")
    update_of_any(packed, report=ReadReport(), sources=[source], older=older_of(packed, "2026_06"))
    assert release_of(packed) == "release 2026_06"
    assert release_of(tmp_path / "none.fasta") == ""
