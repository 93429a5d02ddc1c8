"""WebSocket as a transport, server and client, on the sans-I/O core of the `websockets` library.

Driving the core from an `asyncio.Protocol` ourselves halves the round trip of the library's own
asyncio server; `make bench` shows by how much today.
"""
