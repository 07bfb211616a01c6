"""``swgui merge`` and ``swgui diff``: searches in parts, and in newer releases."""
