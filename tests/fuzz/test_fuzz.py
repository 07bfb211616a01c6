"""Changed files: every reader reads them or refuses them with one clear sentence; and what long runs once found."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.edits import KINDS, TOKENS, Edit, apply
from tests.fuzz.targets import TARGETS

FOUND = Path(__file__).parent / "found"
EDITS = st.lists(
    st.builds(
        Edit,
        st.sampled_from(KINDS),
        st.integers(0, 1 << 20),
        st.integers(0, 1 << 16),
        st.sampled_from(TOKENS) | st.binary(max_size=8),
    ),
    min_size=1,
    max_size=5,
)
SHORT = settings(
    max_examples=int(os.environ.get("SWGUI_FUZZ", "10")),
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_are_read(name, tmp_path):
    """The seeds of changes must be good, or nothing behind the first check is ever reached."""
    for number, seed in enumerate(TARGETS[name].seeds()):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert TARGETS[name].attempt(seed, folder) is None, number


@pytest.mark.parametrize("name", TARGETS)
def test_changed_files_are_read_or_refused(name):
    target = TARGETS[name]
    seeds = target.seeds()

    @SHORT
    @given(st.integers(0, len(seeds) - 1), EDITS)
    def check(which, edits):
        with tempfile.TemporaryDirectory() as folder:
            target.attempt(apply(seeds[which], edits, seeds), Path(folder))

    check()


FILES = sorted(path.relative_to(FOUND).as_posix() for path in FOUND.glob("*/*") if path.is_file())


@pytest.mark.parametrize("file", FILES)
def test_what_was_found_stays_mended(file, tmp_path):
    TARGETS[file.split("/")[0]].attempt((FOUND / file).read_bytes(), tmp_path)
