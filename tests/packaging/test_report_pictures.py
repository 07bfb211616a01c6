"""The command that opens a report in a browser."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "packaging" / "report_pictures.py"


def run(*arguments):
    command = [sys.executable, SCRIPT, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_without_a_browser_one_sentence_says_what_to_install(tmp_path):
    done = run(tmp_path / "out", "--browser", "no-such-browser")
    assert done.returncode == 1
    assert done.stderr == (
        "'no-such-browser' is not there. Install it (Debian: apt install chromium), or name one with --browser.\n"
    )
    assert not (tmp_path / "out").exists()


def test_every_picture_is_asked_of_the_browser_with_a_profile_of_its_own(tmp_path):
    browser, log = tmp_path / "browser", tmp_path / "log"
    browser.write_text(
        f"#!/bin/sh\necho \"$@\" >> '{log}'\n"
        'for one in "$@"; do case "$one" in --screenshot=*|--print-to-pdf=*) : > "${one#*=}";; esac; done\n'
    )
    browser.chmod(0o755)
    report = tmp_path / "report.html"
    report.write_text("<p>x")
    done = run(tmp_path / "out", report, "--browser", browser)
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["dark.png", "light.png", "narrow.png", "printed.pdf"]
    calls = log.read_text().splitlines()
    assert all("--user-data-dir=" in call and report.as_uri() in call for call in calls)
    assert "preferredColorScheme=0" in next(call for call in calls if "dark.png" in call)
