import math

import pytest

from swgui.core import words


def test_numbers_stand_with_their_nouns():
    assert words.count(1, "hit") == "1 hit"
    assert words.count(0, "hit") == "0 hits"
    assert words.count(2310, "query", "queries") == "2,310 queries"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.01, "under 0.1 s"), (0.4, "0.4 s"), (9.94, "9.9 s"), (9.96, "10 s"), (59.4, "59 s"), (60, "1 min"),
     (200, "3 min 20 s"), (3599, "60 min"), (3600, "1 h"), (7500, "2 h 5 min")],
)  # fmt: skip
def test_times_are_said_as_people_say_them(seconds, text):
    assert words.duration(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0047, "4.7 ms"), (0.123, "0.12 s"), (12.3, "12 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")],
)
def test_measured_times_have_a_digit_more_while_they_are_short(seconds, text):
    assert words.duration(seconds, measured=True) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(9.996, "10.0"), (9.994, "9.99"), (9.996e-12, "1.00e-11"), (9.996e-5, "0.000100"), (999600.0, "1.00e+06")],
)
def test_a_figure_more_by_rounding_goes_to_the_exponent(value, text):
    assert words.format_evalue(math.log10(value), 3) == text


def test_values_that_are_no_numbers():
    assert [words.format_evalue(value) for value in (math.nan, -math.inf, math.inf)] == ["", "0", "inf"]


def test_people_read_no_tiny_evalues():
    assert [words.equal_evalue(value) for value in (-540.3, -300.0, -3.0)] == [
        "E < 1e-300",
        "E = 1.0e-300",
        "E = 0.0010",
    ]
    assert words.short_evalue(math.nan) == ""
