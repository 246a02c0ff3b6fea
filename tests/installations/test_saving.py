"""An installation in the place of the one before."""

from dataclasses import replace

import pytest

from bot.installations.installation import Installation
from bot.installations.oauth_flow import InstallationStore, NewInstallation
from bot.installations.repository import CHECKED_EVERY, InstallationRepository
from bot.process.workspace import WorkspaceId
from bot.store.documents import Documents
from bot.store.encryption import KeyRing
from tests.fakes import FakeClock
from tests.installations.builders import ACME as ONE
from tests.installations.builders import (
    a_memory,
    a_repository,
    a_revoked_installation,
    an_installation,
    kept,
)
from tests.memory import EventfulDocuments, MemoryDocuments

MOVED = WorkspaceId("T1", "E1")


async def save(documents: Documents, made: Installation) -> NewInstallation:
    """Save an installation as Bolt's flow does."""
    new = NewInstallation(made)
    await InstallationStore(a_memory(documents, FakeClock().seconds)).async_save(new)
    return new


@pytest.fixture
def documents() -> EventfulDocuments:
    return EventfulDocuments()


async def test_a_new_installation_replaces_a_revoked_one(documents: EventfulDocuments) -> None:
    revoked = a_revoked_installation()
    await a_repository(documents).put(revoked)
    anew = an_installation(token="xoxb-new", scopes=("commands",))

    saved = await save(documents, anew)

    assert saved.before == revoked
    now = await kept(documents)
    assert now == anew
    check_at = anew.installed_at + CHECKED_EVERY
    assert await documents.due_keys(check_at) == [f"{ONE}/installation"]


async def test_a_workspace_keeps_its_identity(documents: EventfulDocuments) -> None:
    await a_repository(documents).put(an_installation(ONE, "xoxb-old"))

    saved = await save(documents, an_installation(MOVED, "xoxb-new"))

    assert saved.installation.home == ONE
    assert (await kept(documents)).token == saved.installation.token
    assert await a_repository(documents).get(MOVED) is None


async def test_installing_again_repairs_sealed_tokens(documents: EventfulDocuments) -> None:
    lost = InstallationRepository(documents, KeyRing({"lost": b"2" * 32}))
    await lost.put(an_installation(ONE, "xoxb-lost"))

    saved = await save(documents, an_installation(MOVED))

    assert saved.before is None
    assert await kept(documents) == replace(saved.installation, home=ONE)


async def test_a_change_at_the_same_moment_is_looked_at_again() -> None:
    class Busy(MemoryDocuments):
        meddles = 2

        async def get(self, key: str):  # type: ignore[no-untyped-def]  # as the base
            found = await super().get(key)
            if self.meddles:
                self.meddles -= 1
                await super().put(key, a_value)
            return found

    seed = MemoryDocuments()
    await a_repository(seed).put(an_installation(token="xoxb-meddled"))
    [document] = await seed.list_prefix("")
    a_value, documents = document.value, Busy()

    await save(documents, an_installation())

    assert await kept(documents) == an_installation()
