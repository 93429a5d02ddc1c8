"""JSON-RPC 2.0: messages, framings, the peer, the connection, transports.

What the methods mean is not known here: rooms above bring handlers and, where their protocol has
one, the rule by which a request is cancelled.
"""
