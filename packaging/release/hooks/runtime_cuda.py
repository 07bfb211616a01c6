"""Runs first in the frozen program: tells CuPy where the bundled CUDA files are.

Without it, cuda-pathfinder looks for them by starting ``sys.executable`` with a probe. In a frozen program that
is the program itself, which would start again and again.
"""

import os
import sys
from pathlib import Path

for folder in sorted(Path(sys._MEIPASS, "nvidia").glob("cu*"), reverse=True):
    os.environ.setdefault("CUDA_PATH", str(folder))
    os.environ.setdefault("CUDA_HOME", os.environ["CUDA_PATH"])
