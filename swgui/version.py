"""The version: that of a release, or the one in the making with the commit it is made from.

Read at every start, and by builders before anything is installed: it imports nothing that takes time.
"""

import os

RELEASE = "0.2.0.dev0"
SHORT = 9  # letters of a commit

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def version() -> str:
    """Return the version, such as ``0.2.0`` or ``0.2.0.dev0+g1a2b3c4d5``.

    Versions between two releases differ by their commit: the one of the checkout, or the one an installation was
    made from (`commit`).
    """
    made_from = commit() if ".dev" in RELEASE else ""
    return f"{RELEASE}+g{made_from[:SHORT]}" if made_from else RELEASE


def commit() -> str:
    """Return the commit of this program, as hexadecimal digits; empty if nothing tells it."""
    try:
        return _text(_PACKAGE, "_commit.txt")  # of wheels and bundles
    except OSError:
        pass
    try:
        return _head(os.path.join(os.path.dirname(_PACKAGE), ".git"))
    except (OSError, UnicodeDecodeError):
        return ""


def _head(git: str) -> str:
    """Return the commit a checkout stands at; `git` is its folder, or the file that names that of a work tree."""
    if os.path.isfile(git):
        git = os.path.join(os.path.dirname(git), _text(git).removeprefix("gitdir:").strip())
    head = _text(git, "HEAD")
    if not head.startswith("ref:"):
        return head
    name, home = head.removeprefix("ref:").strip(), git
    if os.path.isfile(os.path.join(git, "commondir")):
        home = os.path.join(git, _text(git, "commondir"))
    if os.path.isfile(os.path.join(home, name)):
        return _text(home, name)
    packed = (line.split() for line in _text(home, "packed-refs").splitlines())
    return next((words[0] for words in packed if words[1:] == [name]), "")


def _text(*parts: str) -> str:
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read().strip()
