"""Dialogs that are more than a question."""
