"""Results made by hand, for the tests of this room."""

from tests.gui.made_results import made, make_large, minus_hit, page

__all__ = ["made", "make_large", "minus_hit", "page"]
