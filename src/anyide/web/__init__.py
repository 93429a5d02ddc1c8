"""The browser editor: the HTTP app, the page it serves, and the live channel between the two.

`server.py` listens, `app.py` answers HTTP, `live.py` what a page asks, `editor.py` is the editor
that the protocol sees. The page itself is in `page/`. Review and protocol rules are not here.
"""
