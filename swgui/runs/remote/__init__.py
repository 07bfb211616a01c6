"""Runs that another computer carries out: the request goes there, its events and its result come here."""
