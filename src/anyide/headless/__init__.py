"""The Claude Code CLI as a subprocess: where it is, how it is started, what it says."""
