"""What ``import swgui`` offers, for type checkers; ``__init__.py`` loads it when it is used."""

from swgui.core.errors import (
    AlphabetMismatch,
    DatabaseError,
    EngineFault,
    EngineUnavailable,
    InvalidParameter,
    MatrixError,
    MissingPackage,
    NotFound,
    ProfileError,
    SequenceError,
    SwguiError,
)
from swgui.io.whole_file import FileNotWritten
from swgui.library.alignments import Alignment, Hit
from swgui.library.databases import Database
from swgui.library.devices import devices
from swgui.library.hits import Hits
from swgui.library.msa import MultipleAlignment, MultipleAlignments, msa
from swgui.library.pair import Pair, pair
from swgui.library.sample import sample
from swgui.library.saved import load
from swgui.library.search import iterate, search
from swgui.library.session import SwguiWarning, close

__version__: str

__all__ = [
    "Alignment",
    "AlphabetMismatch",
    "Database",
    "DatabaseError",
    "EngineFault",
    "EngineUnavailable",
    "FileNotWritten",
    "Hit",
    "Hits",
    "InvalidParameter",
    "MatrixError",
    "MissingPackage",
    "MultipleAlignment",
    "MultipleAlignments",
    "NotFound",
    "Pair",
    "ProfileError",
    "SequenceError",
    "SwguiError",
    "SwguiWarning",
    "__version__",
    "close",
    "devices",
    "iterate",
    "load",
    "msa",
    "pair",
    "sample",
    "search",
]
