"""The library of these sources at each instruction set of this CPU, and the program without it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from swgui.engines.native import library


def _every_way() -> list[str]:
    return [*library.LEVELS, "without"]


@pytest.fixture(params=_every_way())
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let the program use one instruction set, or no library at all."""
    if request.param == "without":
        monkeypatch.setattr(library, "_probe", lambda: (None, (), "absent"))
        monkeypatch.setattr(library, "SCORE_BOUND", 0)
        return "without"
    loaded, levels, why = library._probe()
    assert loaded is not None, why
    if request.param not in levels:
        pytest.skip(f"this CPU has no {library.LEVELS[request.param]}")
    only = levels[: levels.index(request.param) + 1]
    monkeypatch.setattr(library, "_probe", lambda: (loaded, only, ""))
    return str(request.param)


@pytest.fixture(params=library.LEVELS)
def level(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let the program use one instruction set."""
    loaded, levels, why = library._probe()
    assert loaded is not None, why
    if request.param not in levels:
        pytest.skip(f"this CPU has no {library.LEVELS[request.param]}")
    monkeypatch.setattr(library, "_probe", lambda: (loaded, levels[: levels.index(request.param) + 1], ""))
    return str(request.param)


@pytest.fixture
def without_library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Take the library away; what has a plain form uses that."""
    monkeypatch.setenv(library.VARIABLE, "gone.so")
    monkeypatch.setattr(library, "SCORE_BOUND", 0)
    library.forget()
    yield
    monkeypatch.undo()
    library.forget()
