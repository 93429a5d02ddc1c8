"""What the protocol needs of an editor: the seam, the model they share, and an editor in memory.

`seam.py` is the protocol to implement, `model.py` the data that crosses it, `review.py` what a
proposed change may become, `memory.py` a complete editor without a window. No sockets here.
"""
