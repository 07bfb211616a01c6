"""Watches: searches that are repeated with each new release of their database, and tell what changed."""
