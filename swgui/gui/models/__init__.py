"""Models behind the views: values in NumPy columns, text made for what is on the screen."""
