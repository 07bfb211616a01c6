"""Tables of few rows and of any number of rows."""
