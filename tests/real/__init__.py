"""The bench: the real Claude Code CLI, offline, with only the model stood in for."""
