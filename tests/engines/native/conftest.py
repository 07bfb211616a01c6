"""The library of these sources at each instruction set of this CPU, and the plain forms for scores beyond 32 bits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from swgui.engines.native import library


def _every_way() -> list[str]:
    return [*library.LEVELS, "plain"]


@pytest.fixture(params=_every_way())
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let the program use one instruction set, or take every score for one that could leave 32 bits."""
    if request.param == "plain":
        monkeypatch.setattr(library, "SCORE_BOUND", 0)
        return "plain"
    loaded, levels, why = library.probe()
    assert loaded is not None, why
    if request.param not in levels:
        pytest.skip(f"this CPU has no {library.LEVELS[request.param]}")
    only = levels[: levels.index(request.param) + 1]
    monkeypatch.setattr(library, "probe", lambda: (loaded, only, ""))
    return str(request.param)


@pytest.fixture(params=library.LEVELS)
def level(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let the program use one instruction set."""
    loaded, levels, why = library.probe()
    assert loaded is not None, why
    if request.param not in levels:
        pytest.skip(f"this CPU has no {library.LEVELS[request.param]}")
    monkeypatch.setattr(library, "probe", lambda: (loaded, levels[: levels.index(request.param) + 1], ""))
    return str(request.param)


@pytest.fixture
def without_library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Take the library away."""
    monkeypatch.setenv(library.VARIABLE, "gone.so")
    library.forget()
    yield
    monkeypatch.undo()
    library.forget()
