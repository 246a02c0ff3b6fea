"""What the doctor says of a real PostgreSQL."""

import base64

from bot.installations.repository import InstallationRepository
from bot.jobs.queue_jobs import migrations
from bot.ops.doctor_store import check_database
from bot.ops.output import Mark
from bot.store.encryption import KeyRing, check_key_ring
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import open_postgres
from bot.store.postgres.snapshot import DatabaseStore
from tests.ops.builders import an_installation

RING = "k1:" + base64.b64encode(b"a" * 32).decode()


def store_at(url: str) -> DatabaseStore:
    return DatabaseStore(parse_address(url), migrations())


async def test_only_secrets_and_installations_are_read(database: str) -> None:
    documents, ring = await open_postgres(parse_address(database)), KeyRing.parse(RING)
    await check_key_ring(documents, ring)
    await InstallationRepository(documents, ring).put(an_installation())
    await documents.put("-.T1/digest/d1", {"text": "sealed"})
    await documents.put("-.T1/kept/U1/a", {"sealed": "v1.k1.AAAA"})
    await documents.close()

    finding, found = await check_database(store_at(database))

    assert finding.mark is Mark.OK
    assert tuple(each.key for each in found or ()) == (
        "-.T1/installation",
        "-.T1/kept/U1/a",
        "meta/key-check",
    )
