"""Files of the workspace for clients that know only paths (seed 004), and the methods they call."""
