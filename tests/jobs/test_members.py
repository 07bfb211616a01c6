"""Comparison of a certificate with what was computed again."""

import pytest

from swgui.jobs.certificate import sealed
from swgui.jobs.members import OTHER_QUESTION, CertificateCheck, Member, compare

MEMBERS = (
    Member("limit", float, "asked", "the question"),
    Member("found", int, "always", "the sequences"),
    Member("certificate_sha256", str, "always", "all other members"),
)
RECORDED = sealed({"limit": 1e-3, "found": 7})


@pytest.mark.parametrize("renewed", [False, True])
def test_a_changed_limit_that_alters_no_figure(renewed):
    changed = {**RECORDED, "limit": 1e-4}
    changed = sealed(changed) if renewed else changed
    check = CertificateCheck()
    compare(changed, {"limit": 1e-4, "found": 7}, MEMBERS, check, full=True)
    assert check.asked == ["limit"]
    assert (OTHER_QUESTION in check.problems) != renewed  # a checksum that was made again leaves no trace
    assert check.ok == renewed


def test_a_figure_that_differs_is_named_alone():
    check = CertificateCheck()
    compare({**RECORDED, "found": 8}, {"limit": 1e-3, "found": 7}, MEMBERS, check, full=True)
    assert OTHER_QUESTION not in check.problems
    assert any("'found'" in problem for problem in check.problems)
