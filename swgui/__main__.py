"""``python -m swgui``: the same as the command ``swgui``."""

import sys

from swgui.cli import main

sys.exit(main())
