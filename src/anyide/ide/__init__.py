"""The IDE integration protocol, both ends: lock files, discovery, server, client and tools."""
