"""What the window says outside its pages: messages, status bar, log."""
