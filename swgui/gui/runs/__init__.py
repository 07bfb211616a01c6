"""The Runs page, the queue, and the current run."""
