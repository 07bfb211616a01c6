"""Inputs that several pages share: sequences, databases, scoring, engines."""
