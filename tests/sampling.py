"""Which rows of a large table of cases every change runs; the others are for the night."""

from __future__ import annotations

import math

import pytest

Values = tuple[object, ...]  # one of each parameter of a row


def spread(count: int) -> list[int]:
    """Return the numbers below `count`, neighbours far apart, so that the first of them are a fair sample of all."""
    step = next(step for step in range(max(1, round(count * 0.382)), 2 * count + 2) if math.gcd(step, count) == 1)
    return [place * step % count for place in range(count)]


def chosen(rows: list[Values], most: int | None) -> set[int]:
    """Return rows that have every value of every parameter, or `most` of them."""
    seen: set[tuple[int, object]] = set()
    kept: list[int] = []
    for place in spread(len(rows)):
        new = set(enumerate(rows[place])) - seen
        if new and (most is None or len(kept) < most):
            seen |= new
            kept.append(place)
    return set(kept)


def values_of(item: pytest.Function) -> Values:
    """Return the identities of what each decorator and each fixture gives a case."""
    left = {name: id(value) for name, value in item.callspec.params.items()}
    values: list[object] = []
    for mark in item.iter_markers("parametrize"):
        names = mark.args[0].replace(" ", "").split(",") if isinstance(mark.args[0], str) else mark.args[0]
        values.append(tuple(left.pop(name) for name in names))
    return *values, *left.values()


def leave_for_the_night(items: list[pytest.Item]) -> None:
    """Mark the cases of tests that are `sampled`, but for those of the sample, for the night."""
    cases: dict[tuple[object, ...], list[pytest.Function]] = {}
    for item in items:
        if isinstance(item, pytest.Function) and hasattr(item, "callspec") and item.get_closest_marker("sampled"):
            cases.setdefault((item.path, item.cls, item.originalname), []).append(item)
    for group in cases.values():
        marker = group[0].get_closest_marker("sampled")
        assert marker is not None
        day = [item for item in group if not item.get_closest_marker("nightly")]
        kept = chosen([values_of(item) for item in day], *(marker.args or (None,)))
        for place, item in enumerate(day):
            if place not in kept:
                item.add_marker(pytest.mark.nightly)
