"""Where the frozen program starts."""

import multiprocessing

from swgui.cli import run

if __name__ == "__main__":
    multiprocessing.freeze_support()
    run()
