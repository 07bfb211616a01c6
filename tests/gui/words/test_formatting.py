"""Numbers on the screen."""

import math

import pytest

from swgui.gui.words import formatting


@pytest.mark.parametrize(
    ("log10", "text"),
    [
        (math.log10(38), "38"), (math.log10(3.84), "3.8"), (math.log10(0.0021), "0.0021"),
        (math.log10(9.96), "10"), (math.log10(0.0996), "0.10"), (math.log10(996), "1000"), (0.0, "1.0"),
        (-2000.0, "< 1e-300"), (-149.678, "2.1e-150"), (-300.0, "1.0e-300"), (-300.1, "< 1e-300"),
        (math.log10(9.97e-6), "1.0e-05"), (-math.inf, "< 1e-300"), (float("nan"), "–"), (7.0, "1.0e+07"),
    ],
)  # fmt: skip
def test_evalue_has_two_digits_down_to_the_least_that_people_read(log10, text):
    assert formatting.evalue(log10) == text


def test_chosen_limits_have_no_idle_zeros():
    assert [formatting.limit(x) for x in (1.0, -3.0, 0.0, -20.0, math.log10(0.05))] == [
        "10",
        "0.001",
        "1",
        "1e-20",
        "0.05",
    ]


def test_thousands_and_units():
    assert formatting.whole(573661) == "573,661"
    assert formatting.tenths(1617.06) == "1,617.1"
    assert (formatting.signed(11), formatting.signed(-4), formatting.signed(0)) == ("+11", "−4", "0")
    assert formatting.tenths(float("nan")) == formatting.NOTHING


def test_large_limits_are_written_out():
    assert [formatting.limit(x) for x in (3.0, 5.0, 9.0, -120.0, -400.0)] == [
        "1,000", "100,000", "1e9", "1e-120", "1e-400",
    ]  # fmt: skip
