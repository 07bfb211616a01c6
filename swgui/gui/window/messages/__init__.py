"""Messages of the window outside its pages: notes, status bar, log."""
