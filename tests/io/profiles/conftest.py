"""How texts of profiles and alignments are read in these tests."""

import pytest

from swgui.io.profiles.formats import read_start
from tests.asking import BLOSUM62


@pytest.fixture(scope="session")
def scheme():
    return BLOSUM62


@pytest.fixture
def read(tmp_path, scheme):
    """Return a function that writes a text to a file and reads that."""

    def read(text, scheme=scheme):
        path = tmp_path / "made"
        path.write_text(text)
        return read_start(path, scheme)

    return read
