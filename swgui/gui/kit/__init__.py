"""Widgets, styles and helpers that every page uses."""
