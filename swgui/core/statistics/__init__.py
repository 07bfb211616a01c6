"""Bit scores, E-values, fits and shuffles."""
