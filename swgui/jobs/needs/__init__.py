"""How long a search takes and what memory it needs, before there is a database: for the window and the manual."""
