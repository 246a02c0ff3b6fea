"""A store that version 0.1 has written, for tests that newer versions open it.

A script drove version 0.1 (commit 8880818) through ten days of two stores; it is `write.py` of
commit 6daf2e0, and of no use to a later version. Every secret in the files is of a test:

- `sqlite/store.sql`, `postgres/store.sql`: the store, as `.dump` and `pg_dump --inserts` print it
- `postgres/moved.sql`: the SQLite file that `python -m bot move` left behind
- `outside.json`: what Slack and the service hold of the same people, with the bot's messages
- `export.yml`, `history.jsonl`: what `python -m bot export` printed
"""
