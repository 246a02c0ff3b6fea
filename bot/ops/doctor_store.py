"""Check the store, beside running bots and without changing it."""

from collections.abc import Sequence

from bot.blocks.text import plural
from bot.ops.output import Finding, failure, ok, printable, some_names, warning
from bot.ops.sealed_texts import SealedText, read_sealed, sealed_in, unopened
from bot.store.documents import Document, StoreError
from bot.store.encryption import CHECK_KEY, RingSource
from bot.store.files import WIPED_DISK, lock_file_of, lock_holder
from bot.store.postgres.migrations import missing
from bot.store.postgres.pool import open_pool
from bot.store.postgres.snapshot import DatabaseStore
from bot.store.snapshot import FileStore

STORE, RING, DISK = "DATABASE_URL", "BOT_SECRET_KEYS", "disk"
RESTORE = "stop the bot and put a backup in its place."
DISK_IS_WIPED = warning(DISK, *WIPED_DISK)
SAME_USER = (
    "Give the file and its folder to the user that runs the bot, and run this as that user."
)
REACH = "Check DATABASE_URL, the network in between, and the server."
# What holds secrets; `None`: the store cannot be read.
StoreFinding = tuple[Finding, Sequence[Document] | None]


async def check_store(store: FileStore) -> StoreFinding:
    """Return how the file is, and what it holds."""
    where = printable(store.location)
    try:
        holder = lock_holder(lock_file_of(store.path))
        if not store.path.exists():
            if holder is not None:
                detail = f"{where} is gone, and process {printable(holder)} uses it"
                return failure(STORE, detail, f"If it is lost, {RESTORE}"), None
            return ok(STORE, f"{where} is not there yet; a start makes it"), ()
        documents = await read_sealed(store)
    except (StoreError, OSError) as error:
        hint = f"{SAME_USER} If it is damaged: {RESTORE}"
        return failure(STORE, printable(str(error)), hint), None
    used = (
        f"used by process {printable(holder)}" if holder is not None else "not used by any process"
    )
    return ok(STORE, f"{where} is whole, {used}"), documents


async def check_database(store: DatabaseStore) -> StoreFinding:
    """Return how the database is, and what it holds."""
    where = printable(store.address.location)
    try:
        async with await open_pool(store.address) as pool:
            if steps := await missing(pool, store.steps):
                detail = f"{where} lacks {plural(len(steps), 'step')} of its schema"
                return failure(STORE, detail, "Run `python -m bot migrate`."), None
        return ok(STORE, f"{where} answers, its schema is up to date"), await read_sealed(store)
    except StoreError as error:
        return failure(STORE, printable(str(error), 400), REACH), None


def ring_finding(source: RingSource, documents: Sequence[Document]) -> Finding:
    """Return whether the ring opens everything that is sealed, and which of its keys do."""
    sealed = [each for document in documents for each in sealed_in(document)]
    needed = ", ".join(sorted({printable(each.key_name, 40) for each in sealed})) or "none"
    if source.ring is None:
        return _without_ring(source, sealed, needed)
    if closed := list(unopened(documents, source.ring)):
        texts = some_names([each.why_closed(source.ring) for each in closed])
        hint = f"The store needs the keys named {needed}. Put the missing or earlier one back."
        return failure(RING, f"{printable(source.name)} does not open {texts}", hint)
    count = sum(1 for each in documents if each.key != CHECK_KEY for _ in sealed_in(each))
    if not count:
        return ok(RING, f"{printable(source.name)} is there; nothing is sealed yet")
    them = f"all {count:,} secrets" if count > 1 else "the only secret"
    return ok(RING, f"{printable(source.name)} decrypts {them}; keys in use: {needed}")


def _without_ring(source: RingSource, sealed: Sequence[SealedText], needed: str) -> Finding:
    if not sealed:
        return ok(RING, f"not set: the bot makes {printable(str(source.key_file))} when it starts")
    hint = f"Put it back, or set {RING} to a ring with the keys named {needed}."
    return failure(RING, f"not set, and there is no file {printable(str(source.key_file))}", hint)
