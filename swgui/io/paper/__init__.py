"""Reports on paper: pages of words, bars and links, which a PDF file or a printer takes alike.

Pages are laid out once (`flow`), in the fonts that every reader of PDF has, with their published widths (`letters`). So
command line, library and window make the same pages on every computer, with or without Qt.
"""
