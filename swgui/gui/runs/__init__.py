"""The Runs page, the queue, and the run that goes on."""
