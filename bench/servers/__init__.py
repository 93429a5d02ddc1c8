"""The processes that are measured. Each says on stdout, as one line of JSON, how to reach it."""
