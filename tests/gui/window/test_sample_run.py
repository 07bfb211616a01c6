"""The sample search that runs by itself."""

import os
import subprocess
import sys

import pytest

from swgui.gui.window.sample_run import SampleRun

pytestmark = pytest.mark.gui


@pytest.mark.nightly
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


def test_a_picture_that_cannot_be_saved_is_a_failure_in_words(make_window, found, tmp_path, qtbot, capsys):
    window = make_window(search=lambda request, cancel: iter([found]))
    run = SampleRun(window, tmp_path / "sample.unknown")
    run.begin()
    qtbot.waitUntil(lambda: run.status != 0)
    said = capsys.readouterr().err
    assert run.status == 1
    assert said.startswith("swgui: The picture could not be saved as ")
    assert not window.isVisible()
