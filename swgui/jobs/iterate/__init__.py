"""Searching again and again, with a profile of what was found before."""
