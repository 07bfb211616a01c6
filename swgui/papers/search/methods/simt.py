"""One thread per subject, blocks of rows by four columns, the row between blocks in global memory.

Y. Liu, B. Schmidt, D. L. Maskell: CUDASW++2.0, BMC Research Notes 3:93 (2010), section "Optimized SIMT Smith-Waterman
algorithm"; the kernel is ``kernels/papers/simt.cu``. The paper's blocks are 8 x 4 cells and its queries are read as
packed profiles; here the number of rows is a setting, and a thread can score two subjects in 16 bits.
"""

from __future__ import annotations

from typing import Final

from swgui.papers.search.method import PublishedMethod

METHOD: Final = PublishedMethod("simt")
