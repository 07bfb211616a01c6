#!/usr/bin/env python3
"""Start the program, or run its tests, from a bare checkout.

    python3 packaging/bootstrap.py run      # opens the window; without a display: the sample in the terminal
    python3 packaging/bootstrap.py test     # runs every check and test, without a screen or a GPU

Needs nothing but Python 3.11 or newer. Both make the virtual environment ``.venv`` in the checkout the first
time and reuse it afterwards. As root on Debian or Ubuntu, missing system packages are installed; otherwise
the command that installs them is named. ``packaging/README.md`` says more.

This file stays readable for every Python since 2.7, so that an old one can print a message.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - users of an older Python get this sentence
    sys.exit(
        "Python 3.11 or newer is needed; this is Python {}.{}. Start this script with a newer one, for example "
        "'python3.12 packaging/bootstrap.py run'.".format(*sys.version_info[:2])
    )

from commands import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
