"""``swgui deeper``: further evidence on hits, and what is reached through them."""
