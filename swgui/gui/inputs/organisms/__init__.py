"""What is asked about organisms: which are searched, and what says of them when a database is built."""
