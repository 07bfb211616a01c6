"""Where the frozen program starts."""

import multiprocessing
import sys

from swgui.cli import main

if __name__ == "__main__":
    multiprocessing.freeze_support()
    sys.exit(main())
