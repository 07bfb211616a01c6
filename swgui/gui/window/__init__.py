"""The main window: pages, docks, commands, and the wiring between the rooms."""
