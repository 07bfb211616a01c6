"""Engines score queries against a database; one adapter per engine, found through the registry."""
