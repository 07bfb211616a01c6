"""The readers of alignments and profiles, with files they can read."""

from pathlib import Path

import numpy as np

from swgui.io.profiles.base import ProfileText
from swgui.io.profiles.formats import read_start
from swgui.io.profiles.hmmer import read_hmm
from swgui.io.profiles.own import write_own
from tests.asking import BLOSUM62
from tests.io.profiles import test_alignments, test_hmm, test_pssm


def profile_files() -> list[bytes]:
    """Return one file of each format."""
    emitted, transitions = test_hmm.whole_model(np.random.default_rng(1), 3)
    model = test_hmm.as_file(test_hmm.fitting(emitted), transitions)
    (own,) = read_hmm(ProfileText(model, "made", BLOSUM62))
    texts = [write_own(own), *test_alignments.TEXTS.values(), test_pssm.TABLE, test_pssm.asn_text(), model]
    return [text.encode() for text in texts]


def read_profile(data: bytes, folder: Path) -> None:
    """Read whatever it is."""
    path = folder / "made"
    path.write_bytes(data)
    read_start(path, BLOSUM62)
