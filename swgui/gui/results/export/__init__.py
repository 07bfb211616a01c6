"""Dialogs that write hits and the methods text."""
