"""Runs that this computer carries out for others: the side that answers, the folder of a run, and its process."""
