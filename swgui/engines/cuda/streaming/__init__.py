"""The program's own search kernel: variants, layout, launches, and one GPU at work."""
