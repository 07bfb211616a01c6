"""Hundreds of searches one after the other: memory flat, no thread, file or widget left.

The loops run for `SWGUI_LONG` seconds (20 by default) each; CONTRIBUTING says how to run them for an hour.
"""

import os
import subprocess
import sys

import pytest

from tests.long.loops import KEPT, run_searches

SECONDS = float(os.environ.get("SWGUI_LONG", "20"))
pytestmark = [pytest.mark.nightly, pytest.mark.skipif(sys.platform != "linux", reason="the meter reads /proc")]


def test_searches_leave_nothing_behind(tmp_path):
    meter = run_searches(SECONDS / 2, tmp_path)
    threads, opened, files = (meter.most(column) for column in (3, 4, 5))
    assert threads[1] <= threads[0], meter.report()
    assert opened[1] <= opened[0], meter.report()
    assert files[1] <= max(files[0], 2 * KEPT + 2), meter.report()
    assert meter.gained() < 12 << 20, meter.report()


@pytest.mark.gui
def test_the_window_leaves_nothing_behind():
    """In a process of its own, so that widgets of other tests do not count.

    The lists of runs, messages and log lines fill up to their limits over the first 700 searches, so that memory tells
    something in long runs only.
    """
    limit = ["--top", "4096"] if SECONDS >= 600 else []
    done = subprocess.run(
        [sys.executable, "-m", "tests.long.loops", "window", "--seconds", str(SECONDS / 2), *limit],
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS + 200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
