"""Files of networks and clusters: graphs for other programs, tables, and clusters as other programs write them."""
