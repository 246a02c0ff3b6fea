"""What 1.0 stored opens: both stores and a backup, each kind of document, and the bot goes on.

The changelog promises it to every later version. `write_store.py` has written the files.
"""

import gzip
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr

from bot.access.permissions import Permissions
from bot.access.repository import Act, Audit
from bot.digests.baseline import unpack
from bot.digests.repository import ALERT, DigestRepository
from bot.dispatch.commands import Audience
from bot.dispatch.kept_commands import KeptCommands
from bot.domains.adding import DomainAdder
from bot.domains.kept_facts import FactsRepository
from bot.domains.service import Portfolio, SeenDomains, StoredVersions
from bot.installations.repository import InstallationRepository
from bot.jobs.queue_jobs import migrations
from bot.keys.repository import Keys
from bot.ops.backup import restore
from bot.process.concurrency import Tasks
from bot.process.workspace import WorkspaceId
from bot.scans import bulk_record, nightly
from bot.scans.service import Scans
from bot.store.documents import Documents, kind_of
from bot.store.encryption import KeyRing, check_key_ring
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import open_postgres
from bot.store.postgres.migrations import migrate
from bot.store.postgres.snapshot import DatabaseStore
from bot.store.snapshot import FileStore
from bot.store.sqlite import open_sqlite
from bot.tracker.rate_limit import RateLimiter, fingerprint
from bot.tracker.shared_limits import SharedLimits
from tests.builders import KEY
from tests.fakes import FakeLists
from tests.installations.test_uninstall_no_trace import refuse
from tests.postgres import PostgresServer
from tests.scans.test_service import Scanner
from tests.store.write_store import BACKUP, DUMP, FIRST_DAY, SQLITE, Still
from tests.stores import read_database, read_file
from tests.whole.digests import at_nine
from tests.whole.harness import RING, Harness, running_bot, running_stand_ins

OF_1_0 = Path(__file__).parent / "of_1_0"
HOME = WorkspaceId("T0PLAYGROUND")
BOB = "U0000000004"
WRITTEN_AT = FIRST_DAY + timedelta(hours=21)
YEAR = timedelta(days=365)
SECRETS = KeyRing.parse(RING)


@pytest.fixture
def sqlite(tmp_path: Path) -> Path:
    """Return a copy of the file that 1.0 has written."""
    return shutil.copyfile(OF_1_0 / SQLITE, tmp_path / SQLITE)


@pytest.fixture
async def postgresql(postgres: PostgresServer) -> AsyncIterator[str]:
    """Yield the address of a database that 1.0 has written, and this version has migrated."""
    with postgres.database() as url:
        with psycopg.connect(url) as connection:
            connection.execute(gzip.decompress((OF_1_0 / DUMP).read_bytes()))
        await migrate(parse_address(url), migrations())
        yield url


def portfolio() -> Portfolio:
    return Portfolio(FakeLists().list_domains, clock=lambda: WRITTEN_AT)


async def audiences(documents: Documents) -> None:
    assert (await Permissions(documents).audiences(HOME))["add"] is Audience.MANAGERS


async def audit(documents: Documents) -> None:
    entries = await Audit(documents, clock=lambda: WRITTEN_AT).entries(HOME)
    assert Act.KEY_SET in [each.act for each in entries]


async def budget(documents: Documents) -> None:
    limits = SharedLimits(documents, RateLimiter(clock=lambda: WRITTEN_AT), Tasks())
    key = await keys_in(documents).stored(HOME)
    state = await limits.state(HOME, fingerprint(key.secret))
    assert state.remaining is not None


async def bulk_scan(documents: Documents) -> None:
    run = bulk_record.decode(await documents.get(bulk_record.key_of(HOME)))
    assert run is not None
    assert run.end is bulk_record.End.DONE
    assert [each.host for each in run.done] == ["shop.example", "www.example"]


async def digest(documents: Documents) -> None:
    one, other = await DigestRepository(documents).of_workspace(HOME)
    assert {one.plan.is_alert, other.plan.is_alert} == {True, False}
    assert unpack(one.packed_baseline).scores
    assert one.past
    assert other.past


async def digest_alert(documents: Documents) -> None:
    repository = DigestRepository(documents)
    [name] = [name for _, name in await repository.due(WRITTEN_AT + YEAR, limit=9, kind=ALERT)]
    alert = await repository.card(HOME, name)
    assert [fall.host for fall in alert.falls] == ["www.example"]
    assert alert.taken_by


async def ends(documents: Documents) -> None:
    assert set(await FactsRepository(documents).get(HOME)) == {"shop.example", "www.example"}


async def greeted(documents: Documents) -> None:
    assert await documents.get(f"{HOME}/greeted/{BOB}")


async def held_key(documents: Documents) -> None:
    assert (await keys_in(documents).held(HOME, BOB)).secret == KEY


async def installation(documents: Documents) -> None:
    stored = await InstallationRepository(documents, SECRETS).get(HOME)
    assert stored is not None
    assert stored.token == "xoxb-of-1-0"


async def kept(documents: Documents) -> None:
    commands = await KeptCommands(documents, SECRETS, clock=lambda: WRITTEN_AT).take_all(HOME)
    assert [(each.command, each.text) for each in commands] == [("/scan", "shop.example")]


async def key(documents: Documents) -> None:
    stored = await keys_in(documents).stored(HOME)
    assert stored.secret.startswith("service_sk_")


async def listed(documents: Documents) -> None:
    assert await StoredVersions(documents).current(HOME)


async def managers(documents: Documents) -> None:
    assert await Permissions(documents).managers(HOME) == (BOB,)


async def nights(documents: Documents) -> None:
    document = await documents.get(f"{HOME}/nightly")
    assert nightly.decode(document).is_on


async def scan(documents: Documents) -> None:
    scans = Scans(
        Scanner().scan,
        portfolio(),
        documents,
        FactsRepository(documents),
        clock=lambda: WRITTEN_AT,
    )
    assert (await scans.last(HOME, "shop.example")).sections


async def scans(documents: Documents) -> None:
    document = await documents.get(f"{HOME}/scans")
    assert document is not None
    assert document.value["hosts"] == ["shop.example", "www.example"]


async def seen(documents: Documents) -> None:
    sample = await SeenDomains(documents).last(HOME)
    assert sample is not None
    assert sample.shares_any(["shop.example"])


async def to_add(documents: Documents) -> None:
    [document] = await documents.list_prefix(f"{HOME}/to-add/")
    adder = DomainAdder(refuse, portfolio(), documents)
    new = await adder.kept(HOME, document.key.rpartition("/")[2])
    assert new.hosts == ["new.example"]


READS: dict[str, Callable[[Documents], Awaitable[None]]] = {
    "audiences": audiences,
    "audit": audit,
    "budget": budget,
    "bulk-scan": bulk_scan,
    "digest": digest,
    "digest-alert": digest_alert,
    "ends": ends,
    "greeted": greeted,
    "held-key": held_key,
    "installation": installation,
    "kept": kept,
    "key": key,
    "list": listed,
    "managers": managers,
    "nightly": nights,
    "scan": scan,
    "scans": scans,
    "seen": seen,
    "to-add": to_add,
}


def keys_in(documents: Documents) -> Keys:
    return Keys(documents, SECRETS, clock=lambda: WRITTEN_AT)


@asynccontextmanager
async def opened(where: Path | str) -> AsyncIterator[Documents]:
    store = (
        await open_sqlite(where)
        if isinstance(where, Path)
        else await open_postgres(parse_address(where), steps=migrations())
    )
    try:
        yield store
    finally:
        await store.close()


@pytest.fixture
def store_of_1_0(request: pytest.FixtureRequest) -> Path | str:
    """Return the store that 1.0 has written: a file, or the address of a database."""
    where: Path | str = request.getfixturevalue(request.param)
    return where


both_stores = pytest.mark.parametrize(
    "store_of_1_0",
    ["sqlite", pytest.param("postgresql", marks=pytest.mark.real_time)],
    indirect=True,
)


@both_stores
async def test_each_document_is_read_by_its_repository(store_of_1_0: Path | str) -> None:
    async with opened(store_of_1_0) as documents:
        await check_key_ring(documents, SECRETS)
        stored = {kind_of(each) for each in await documents.list_keys(f"{HOME}/")}
        assert stored == set(READS)
        for read in READS.values():
            await read(documents)


@both_stores
async def test_the_bot_goes_on(
    store_of_1_0: Path | str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(store_of_1_0) as documents:
        secret = (await keys_in(documents).stored(HOME)).secret
    transport = "socket" if isinstance(store_of_1_0, Path) else store_of_1_0
    clock = Still()
    clock.ahead = WRITTEN_AT - FIRST_DAY
    async with running_stand_ins(tmp_path, transport, clock) as app:
        app.settings = app.settings.model_copy(update={"bot_secret_keys": SecretStr(RING)})
        app.account.add("shop.example", health=20, tags=("prod",))
        with monkeypatch.context() as patch:
            patch.setattr("bot.playground.tracker.keys.new_key_value", lambda: secret)
            app.account.create_key("bot")
        async with running_bot(app):
            await shows_its_key_and_posts(app)


async def shows_its_key_and_posts(app: Harness) -> None:
    state = await app.ask(app.ada, "/domainkey")
    post = await at_nine(app)

    assert "Replace key" in state.buttons
    assert "shop.example" in post.everything
    assert "1 domain got worse" in post.everything  # since the digest that 1.0 has posted


async def test_a_backup_is_restored_into_a_file(tmp_path: Path, sqlite: Path) -> None:
    new = FileStore(tmp_path / "new" / "bot.sqlite")

    await restore(new, str(OF_1_0 / BACKUP), RING)

    assert await read_file(new.path) == await read_file(sqlite)


async def test_a_backup_is_restored_into_a_database(database: str, postgresql: str) -> None:
    new = parse_address(database)

    await restore(DatabaseStore(new, migrations()), str(OF_1_0 / BACKUP), RING)

    assert await read_database(new) == await read_database(parse_address(postgresql))


def test_the_files_are_small() -> None:
    assert sum(path.stat().st_size for path in OF_1_0.iterdir()) <= 100_000
