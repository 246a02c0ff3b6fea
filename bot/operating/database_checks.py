"""The database, looked at without changing anything, also beside running bots."""

from collections.abc import Iterator, Sequence

from bot.operating.database_store import DatabaseStore
from bot.operating.finding import Finding, failure, ok, warning
from bot.operating.printing import counted, shown
from bot.operating.processes import ALL, WEB, WORKER, Process, roles
from bot.operating.store_checks import STORE, unreadable_finding
from bot.operating.stored import read_sealed
from bot.store.errors import StoreError
from bot.store.postgres.address import Address
from bot.store.postgres.facts import Facts, read_facts
from bot.store.postgres.migrating import missing
from bot.store.postgres.pool import Pool, open_pool
from bot.store.snapshot import Snapshot

TLS, CONNECTIONS, PROCESSES = "TLS", "connections", "processes"
MIGRATE = "Run `python -m bot migrate`."
REACH = "Look at DATABASE_URL, at the network between here and there, and at the server."
# Older ones get no corrections any more: https://www.postgresql.org/support/versioning/
OLDEST_SUPPORTED = 14
# A command reads several times before it answers, and Slack waits for three seconds.
SLOW_READ_S = 0.05


async def check_database(
    store: DatabaseStore,
) -> tuple[list[Finding], Snapshot | None]:
    """Return how the database is, and what is sealed in it; `None` when nobody can read it."""
    try:
        pool = await open_pool(store.address)
    except StoreError as error:
        return [failure(STORE, shown(str(error), 400), REACH)], None
    try:
        return await _looked_at(pool, store)
    except StoreError as error:
        return [failure(STORE, shown(str(error), 400), REACH)], None
    finally:
        await pool.close()


async def _looked_at(pool: Pool, store: DatabaseStore) -> tuple[list[Finding], Snapshot | None]:
    address = store.address
    if steps := await missing(pool, store.sets):
        said = f"{shown(address.place)} lacks {counted(len(steps), 'step')} of its schema"
        return [failure(STORE, said, MIGRATE)], None
    facts = await read_facts(pool)
    snapshot = await read_sealed(store)
    running = await store.living()
    found = [unreadable_finding(address.place, snapshot) or database_finding(address, facts)]
    found += [tls_finding(facts)]
    found += [] if address.is_pooled else [connections_finding(address, facts, running)]
    return [*found, processes_finding(running)], snapshot


def database_finding(address: Address, facts: Facts) -> Finding:
    """Return how the database answers."""
    where = shown(address.place)
    said = (
        f"{where} answers in {facts.read_s * 1000:.1f} ms; PostgreSQL {shown(facts.version, 20)},"
        f" {counted(facts.documents, 'document')}, its schema is up to date"
    )
    if _major(facts.version) < OLDEST_SUPPORTED:
        mend = f"It gets no corrections any more: change to {OLDEST_SUPPORTED} or newer."
        return warning(STORE, said, mend)
    if facts.read_s > SLOW_READ_S:
        mend = "That is slow: have the bot and the database in the same place."
        return warning(STORE, said, mend)
    return ok(STORE, said)


def tls_finding(facts: Facts) -> Finding:
    """Return whether others on the way can read along."""
    if facts.is_encrypted:
        return ok(TLS, "the way to the database is encrypted")
    if facts.is_near:
        return ok(TLS, "not needed, the database is on this machine")
    mend = "Add sslmode=verify-full (or at least require) to DATABASE_URL."
    return warning(TLS, "whoever is between here and the database can read along", mend)


def connections_finding(address: Address, facts: Facts, running: Sequence[Process]) -> Finding:
    """Return whether every process gets the connections that it may need."""
    each, free = address.pool_size, facts.allowed - facts.used
    many = f"{facts.used:,} of {facts.allowed:,} are in use; a process takes up to {each:,}"
    wanted = each * max(len(running), 1)
    if wanted > facts.allowed or (not running and each > free):
        processes = f"{len(running):,} processes" if len(running) > 1 else "one process"
        mend = (
            f"That is too few for {processes}: lower DATABASE_POOL_SIZE (or pool_size in"
            " DATABASE_URL, which wins), allow more, or use a pooler with pool_mode=transaction."
        )
        return warning(CONNECTIONS, many, mend)
    return ok(CONNECTIONS, many)


def processes_finding(running: Sequence[Process]) -> Finding:
    """Return which processes live, and whether each kind of work is done by one."""
    if not running:
        return ok(PROCESSES, "none is running")
    if lacking := [*_lacking({each.role for each in running})]:
        return failure(PROCESSES, f"only {roles(running)}", " ".join(lacking))
    return ok(PROCESSES, f"{roles(running)}")


def _lacking(present: set[str]) -> Iterator[str]:
    if not present & {ALL, WORKER, "?"}:
        yield "Nobody delivers digests: start `python -m bot worker`."
    if not present & {ALL, WEB, "?"}:
        yield "Nobody answers Slack: start `python -m bot web`."


def _major(version: str) -> int:
    first = version.split(".")[0]
    return int(first) if first.isdecimal() else OLDEST_SUPPORTED
