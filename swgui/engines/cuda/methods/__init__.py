"""Published ways of searching a database on a GPU, each behind the same door as the program's own kernel."""
