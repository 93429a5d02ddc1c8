"""What is kept between runs: one SQLite database in the state directory of the platform.

`store.py` is the whole of it, open. `endpoint.py`, `draft.py` and `review.py` have one kind of
table each, `schema.py` makes the tables, `database.py` opens and mends the file.
"""
