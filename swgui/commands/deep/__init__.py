"""The options of ``swgui deeper``, and the search that they describe."""
