"""A store that version 0.1 has written, for tests that newer versions open it.

`write.py` wrote the files in `sqlite/` and `postgres/`. Every secret in them is of a test.
"""
