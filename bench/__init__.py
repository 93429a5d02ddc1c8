"""How fast and how small anyide is, measured beside its peers: `python -m bench`."""
