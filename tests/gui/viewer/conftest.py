"""Results made by hand, for the tests of this room."""

from tests.gui.made_results import jobs, made, make_large, minus_hit, page

__all__ = ["jobs", "made", "make_large", "minus_hit", "page"]
