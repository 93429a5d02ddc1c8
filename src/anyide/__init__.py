"""anyide: any editor, any browser, any program as a partner of the Claude Code CLI."""

__version__ = "0.1.0"
