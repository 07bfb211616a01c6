"""``--whole``: whole jobs as users run them, each in a process of its own, compared with other programs."""
