"""What a person types: one file a command, listed in `command.py`."""
