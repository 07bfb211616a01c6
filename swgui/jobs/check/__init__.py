"""Whether devices and methods give exact scores."""
