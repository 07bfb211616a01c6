"""The sample search that runs by itself."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.gui


@pytest.mark.slow
def test_a_picture_of_the_sample_result_is_saved(tmp_path):
    picture = tmp_path / "folder" / "sample.png"
    done = subprocess.run(
        [sys.executable, "-m", "swgui.app", "--sample", "--snapshot", str(picture)],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    from PySide6.QtGui import QImage

    image = QImage(str(picture))
    assert (image.width(), image.height()) == (1280, 860)


@pytest.mark.slow
def test_a_picture_that_cannot_be_saved_is_a_failure_in_words(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "swgui.app", "--snapshot", str(tmp_path / "sample.unknown")],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 1
    assert "could not be saved" in done.stderr
    assert "Traceback" not in done.stderr
