"""Databases of profiles: how they are made, and how searches compare profiles with them."""
