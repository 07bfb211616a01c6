"""``--whole``: whole jobs as users run them, each in a process of its own, beside other programs."""
