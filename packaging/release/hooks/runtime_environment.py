"""Runs first in the frozen program: other programs that it starts, such as a browser, get their own libraries.

The loader points ``LD_LIBRARY_PATH`` to the bundled libraries before the program starts, and keeps the old value aside.
Changing it back takes nothing from the program itself: the system looks at it only once.
"""

import os
import sys

if sys.platform.startswith("linux"):
    before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
    if before is None:
        os.environ.pop("LD_LIBRARY_PATH", None)
    else:
        os.environ["LD_LIBRARY_PATH"] = before
