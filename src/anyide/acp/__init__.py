"""Claude Code as an agent of the Agent Client Protocol: `anyide acp`.

`messages` says what may be said, `translate` turns Claude's events into updates, `agent` answers.
"""
