"""How texts of profiles and alignments are read in these tests."""

import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.scoring import ScoringScheme
from swgui.io.matrices import load_matrix
from swgui.io.profiles.formats import read_start


@pytest.fixture(scope="session")
def scheme():
    return ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)


@pytest.fixture
def read(tmp_path, scheme):
    """Return a function that writes a text to a file and reads that."""

    def read(text, scheme=scheme):
        path = tmp_path / "made"
        path.write_text(text)
        return read_start(path, scheme)

    return read
