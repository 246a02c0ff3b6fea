"""Write a store with one workspace's whole life in it, for later versions to open.

`python -m tests.store.write_store FOLDER` writes what this version stores: the file of SQLite, a
dump of PostgreSQL, and a backup. For a dump that every server reads, TEST_POSTGRES=oldest. Run it
at a release, into a new folder; what stands in `of_1_0` is of 1.0 and stays as it is.
"""

import asyncio
import gzip
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import SecretStr

from bot.access.permissions import Permissions
from bot.dispatch.kept_commands import KeptCommand, KeptCommands
from bot.domains.adding import DomainAdder, NewDomains
from bot.domains.service import Portfolio, StoredVersions
from bot.home.listeners import GREETED
from bot.installations.installation import scope_of_key
from bot.installations.repository import InstallationRepository
from bot.jobs.queue_jobs import migrations
from bot.keys.key_record import KeyDraft
from bot.keys.repository import Keys
from bot.ops.backup import back_up, restore
from bot.process.workspace import WorkspaceId
from bot.store.encryption import KeyRing
from bot.store.fenced import FencedDocuments
from bot.store.postgres.address import parse_address
from bot.store.postgres.migrations import migrate
from bot.store.postgres.snapshot import DatabaseStore
from bot.store.snapshot import FileStore
from bot.store.sqlite import open_sqlite
from bot.tracker.models import NewDomain
from tests.answers import SCAN
from tests.builders import KEY
from tests.fakes import FakeLists
from tests.installations.builders import an_installation
from tests.installations.test_uninstall_no_trace import refuse
from tests.postgres import running_postgres
from tests.whole.digests import at_nine, make, score
from tests.whole.harness import RING, Clock, Harness, running_bot, running_stand_ins
from tests.whole.test_alerts import ALERT, next_alert, next_look, redrawn
from tests.whole.test_audiences import MANAGERS, choose
from tests.whole.test_bulk_scan import message_with

FIRST_DAY = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)
SQLITE, DUMP, BACKUP = "bot.sqlite", "postgresql.sql.gz", "backup.jsonl"
PG_DUMP = ("pg_dump", "--inserts", "--no-owner", "--no-privileges")


class Still(Clock):
    """A clock that stands at noon of a day that is always the same, until it is moved."""

    def __call__(self) -> datetime:
        return FIRST_DAY + self.ahead


async def live(app: Harness) -> None:
    """Let people use everything that leaves something in the store."""
    app.account.add("shop.example", health=41, tags=("prod", "eu"), folder="Web shops")
    app.account.add("www.example", health=97, tags=("prod",), folder="Sites")
    app.account.scan_results["shop.example"] = SCAN
    await app.connect()
    await app.ask(app.bob, "/scan shop.example")
    price = await app.ask(app.bob, "/scan shop.example www.example")
    await app.press(app.bob, price, "Start")
    await message_with(app, "2 domains scanned")
    await choose(app, add=MANAGERS)
    await make(app, {"Filter": "tag:prod"})
    await make(app, ALERT)
    await next_look(app)
    score(app, "www.example", 60)
    card = await next_alert(app, app.bob)
    await app.ada.press(card, "I'm on it")
    await redrawn(app.bob, "is on it since")
    await at_nine(app)


async def add_the_rest(app: Harness, path: Path) -> None:
    """Write what a short life with one token does not leave behind."""
    documents = await open_sqlite(path)
    store = FencedDocuments(documents, beginning_of=scope_of_key)
    ring, home, bob = KeyRing.parse(RING), WorkspaceId(app.slack.team_id), app.bob.id
    installation = an_installation(home, "xoxb-of-1-0", installed_by=bob, installed_at=app.clock())
    await InstallationRepository(store, ring).put(installation)
    await Permissions(store).name_managers(home, (bob,))
    await StoredVersions(store).change(home)
    await store.put(f"{home}/{GREETED}/{bob}", {"v": 1})
    draft = KeyDraft(secret=KEY, label="", expires_on=None, scopes=("read_domains",))
    await Keys(store, ring, clock=app.clock).hold(home, draft, bob)
    line = KeptCommand(
        command="/scan",
        text="shop.example",
        user_id=bob,
        channel_id=None,
        response_url="https://hooks.slack.com/commands/1",
    )
    await KeptCommands(store, ring, clock=app.clock).keep(home, line)
    portfolio = Portfolio(FakeLists().list_domains, clock=app.clock)
    adder = DomainAdder(refuse, portfolio, store)
    added = NewDomain(host="new.example", domain_type="owned", tags=("prod",))
    await adder.keep(home, NewDomains((added,)))
    await documents.vacuum()
    await store.close()


async def write(folder: Path) -> None:
    """Write the file of SQLite, and a backup of it."""
    with tempfile.TemporaryDirectory() as used:
        async with running_stand_ins(Path(used), "socket", Still()) as app:
            app.settings = app.settings.model_copy(update={"bot_secret_keys": SecretStr(RING)})
            async with running_bot(app):
                await live(app)
            await add_the_rest(app, app.settings.database_path)
            with closing(sqlite3.connect(app.settings.database_path)) as connection:
                connection.execute("PRAGMA journal_mode=DELETE")  # all in one file
            shutil.copyfile(app.settings.database_path, folder / SQLITE)
    made_at = FIRST_DAY + timedelta(days=1)
    await back_up(FileStore(folder / SQLITE), str(folder / BACKUP), made_at)


async def fill(url: str, backup: Path) -> None:
    """Restore a backup into a new database."""
    await migrate(parse_address(url), migrations())
    await restore(DatabaseStore(parse_address(url), migrations()), str(backup), RING)


def dump(url: str) -> bytes:
    """Return a database as statements that any client can execute."""
    dumped = subprocess.run([*PG_DUMP, url], check=True, capture_output=True).stdout
    # What only psql understands begins so.
    return b"\n".join(line for line in dumped.splitlines() if not line.startswith(b"\\"))


def main(folder: Path) -> None:
    folder.mkdir(parents=True)
    asyncio.run(write(folder))
    with running_postgres() as server, server.database() as url:
        asyncio.run(fill(url, folder / BACKUP))
        (folder / DUMP).write_bytes(gzip.compress(dump(url), mtime=0))
    for path in folder.iterdir():
        path.chmod(0o644)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
