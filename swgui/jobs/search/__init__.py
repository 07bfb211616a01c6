"""One search: from the request to hits, described, shuffled, estimated and verified."""
