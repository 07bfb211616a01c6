"""Readers of the forms that earlier versions kept runs in; each gives what `swgui.io.saved.log.read_log` gives."""
