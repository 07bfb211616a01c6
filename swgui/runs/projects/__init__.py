"""Projects: a folder with runs, stars and notes, tables, and the names of its databases; sent to others as one file."""
