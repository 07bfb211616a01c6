"""``python packaging/measuring/speed``."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])

from speed.command import main  # noqa: E402

sys.exit(main())
