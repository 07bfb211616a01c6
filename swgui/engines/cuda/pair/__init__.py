"""Long pairs on GPUs: one module per family of methods."""
