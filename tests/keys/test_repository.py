"""A workspace's key: sealed for that workspace alone, and what is known of it."""

from datetime import date

import pytest

from bot.keys.key_record import KeyDraft
from bot.keys.repository import Keys
from bot.process.workspace import WorkspaceId
from bot.store.documents import UnreadableSecretError
from bot.store.encryption import KeyRing
from tests.builders import KEY
from tests.fakes import FakeClock
from tests.memory import MemoryDocuments

ONE, OTHER = WorkspaceId("T1"), WorkspaceId("T2")
RING = KeyRing({"k1": b"1" * 32})


def a_draft(secret: str = KEY) -> KeyDraft:
    return KeyDraft(
        secret=secret, label="bot", expires_on=date(2030, 6, 1), scopes=("read_domains",)
    )


@pytest.fixture
def documents() -> MemoryDocuments:
    return MemoryDocuments()


@pytest.fixture
def keys(documents: MemoryDocuments) -> Keys:
    return Keys(documents, RING, clock=FakeClock())


async def test_a_copied_key_is_unreadable(keys: Keys, documents: MemoryDocuments) -> None:
    await keys.save(ONE, a_draft(), set_by="U1")
    [document] = await documents.list_prefix(f"{ONE}/")

    await documents.put(document.key.replace(str(ONE), str(OTHER)), document.value)

    with pytest.raises(UnreadableSecretError):
        await keys.stored(OTHER)
