"""From files and text to clean sequence records, with a report of what was changed."""
