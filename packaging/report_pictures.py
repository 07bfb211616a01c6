"""Opens an HTML report in a headless Chromium, and writes pictures of it: light, dark and printed.

    python packaging/report_pictures.py OUT_FOLDER [REPORT.html] [--browser FILE]

Without a report the sample is searched. Needs Chromium or Chrome (Debian: chromium). The browser gets a profile of its
own, loads nothing from the network, and is closed again.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
EXAMPLES = REPOSITORY / "resources" / "examples"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
SIZE = "1280,1600"  # of the window, in pixels
SECONDS = 120  # that a picture may take
QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--hide-scrollbars",
         "--no-first-run", "--disable-extensions", "--no-pdf-header-footer")  # fmt: skip
# Name of the picture to what makes it; 0 is the dark scheme of Chromium, 1 the light one.
PICTURES = {
    "light.png": ("--blink-settings=preferredColorScheme=1", f"--window-size={SIZE}", "--screenshot={}"),
    "dark.png": ("--blink-settings=preferredColorScheme=0", f"--window-size={SIZE}", "--screenshot={}"),
    "narrow.png": ("--blink-settings=preferredColorScheme=1", "--window-size=600,1200", "--screenshot={}"),
    "printed.pdf": ("--print-to-pdf={}",),
}


def main() -> int:
    """Take the pictures; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="folder for the pictures")
    parser.add_argument("report", type=Path, nargs="?", help="HTML report (default: that of the sample)")
    parser.add_argument("--browser", help="the browser's program (default: Chromium or Chrome, as found)")
    options = parser.parse_args()
    browser = shutil.which(options.browser) if options.browser else next(filter(None, map(shutil.which, BROWSERS)), "")
    if not browser:
        wanted = f"'{options.browser}' is not there" if options.browser else "Neither Chromium nor Chrome is installed"
        print(f"{wanted}. Install it (Debian: apt install chromium), or name one with --browser.", file=sys.stderr)
        return 1
    options.out.mkdir(parents=True, exist_ok=True)
    report = options.report or of_sample(options.out / "report.html")
    with tempfile.TemporaryDirectory() as profile:
        for name, arguments in PICTURES.items():
            path = (options.out / name).resolve()
            made = [argument.format(path) for argument in arguments]
            command = [browser, *QUIET, f"--user-data-dir={profile}", *made, report.resolve().as_uri()]
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
            if done.returncode or not path.exists():
                print(f"{Path(browser).name} made no {name}: {done.stderr.strip()[-500:]}", file=sys.stderr)
                return 1
            print(path)
    return 0


def of_sample(path: Path) -> Path:
    """Write the report of the sample search, and return its path."""
    search = ("-q", EXAMPLES / "sample_queries.fasta", "-d", EXAMPLES / "sample_database.fasta.gz")
    subprocess.run(
        [sys.executable, "-m", "swgui", "search", *search, "-o", path, "--format", "html"], cwd=REPOSITORY, check=True
    )
    return path


if __name__ == "__main__":
    raise SystemExit(main())
