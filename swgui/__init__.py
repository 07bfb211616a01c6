"""Exact Smith-Waterman search and alignment, on GPUs where there are any.

    import swgui

    hits = swgui.search("query.fasta", "db.swdb", top=100)
    hits.to_pandas()

What is listed in ``__all__`` is stable; it is loaded when it is first used.
"""

from swgui import version as numbering

__version__ = numbering.version()

_HOMES = {
    "search": "swgui.library.search",
    "iterate": "swgui.library.search",
    "deeper": "swgui.library.search",
    "msa": "swgui.library.msa",
    "pair": "swgui.library.pair",
    "rule": "swgui.library.rule",
    "network": "swgui.library.network",
    "cluster": "swgui.library.network",
    "split": "swgui.library.network",
    "judge": "swgui.library.network",
    "leak": "swgui.library.network",
    "covariation": "swgui.library.covariation",
    "verify": "swgui.library.checks",
    "audit": "swgui.library.checks",
    "devices": "swgui.library.session",
    "load": "swgui.library.search",
    "connect": "swgui.library.remote",
    "diff": "swgui.library.diff",
    "watch": "swgui.library.watch",
    "watches": "swgui.library.watch",
    "close": "swgui.library.session",
    "sample": "swgui.library.session",
    "Database": "swgui.library.databases",
    "Hits": "swgui.library.hits",
    "HitChanges": "swgui.library.diff",
    "Watch": "swgui.library.watch",
    "WatchChanges": "swgui.library.watch",
    "HitAudit": "swgui.library.checks",
    "Verification": "swgui.library.checks",
    "Hit": "swgui.library.alignments",
    "Alignment": "swgui.library.alignments",
    "ColumnPair": "swgui.library.covariation",
    "ColumnPairs": "swgui.library.covariation",
    "Computer": "swgui.library.remote",
    "Profile": "swgui.library.profiles",
    "RulePlace": "swgui.library.rule",
    "RulePlaces": "swgui.library.rule",
    "RunResult": "swgui.library.kinds",
    "SequenceNetwork": "swgui.library.network",
    "Pair": "swgui.library.pair",
    "Project": "swgui.library.project",
    "MultipleAlignment": "swgui.library.multiple",
    "MultipleAlignments": "swgui.library.msa",
    "SwguiWarning": "swgui.library.session",
    "SwguiError": "swgui.core.errors",
    "AlphabetMismatch": "swgui.core.errors",
    "DatabaseError": "swgui.core.errors",
    "EngineFault": "swgui.core.errors",
    "EngineUnavailable": "swgui.core.errors",
    "FileFault": "swgui.core.errors",
    "InvalidParameter": "swgui.core.errors",
    "MatrixError": "swgui.core.errors",
    "MissingPackage": "swgui.core.errors",
    "NotFound": "swgui.core.errors",
    "ProfileError": "swgui.core.errors",
    "SequenceError": "swgui.core.errors",
    "FileNotWritten": "swgui.io.whole_file",
}
__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        from importlib import import_module

        value = getattr(import_module(_HOMES[name]), name)
    elif (value := _declared(name)) is None:
        raise AttributeError(f"module 'swgui' has no attribute '{name}'")
    globals()[name] = value
    return value


def _declared(name: str) -> object:
    """Return the function of a kind of run that a package adds; None if there is none of this name."""
    import os
    from importlib import import_module

    ours = (os.path.join(place, name + end) for place in __path__ for end in ("", ".py"))
    if name[:1] == "_" or any(map(os.path.exists, ours)):
        return None
    if not import_module("swgui.packages").entry_points("swgui.kinds"):
        return None
    return import_module("swgui.library.kinds").function_of(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
