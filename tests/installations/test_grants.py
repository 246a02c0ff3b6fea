"""Who gets the app back is taken in again, also when the store fails for a while."""

from datetime import timedelta

import pytest

from bot.concurrency import Tasks
from bot.installations.uninstall import LATEST_REQUEST, Grants
from bot.store.documents import StoreError
from bot.store.fenced import FencedDocuments
from bot.store.memory import MemoryDocuments
from bot.workspace import WorkspaceId
from tests.builders import MOMENT
from tests.fakes import TIME_LIMIT_S, FakeClock

pytestmark = pytest.mark.anyio

HOME = WorkspaceId("T3", "E1")
INSTALLED = "E1.-/installation"


class FailingDocuments(FencedDocuments):
    """A store that fails as often as it is told to."""

    failures = 0

    async def welcome(self, prefix: str) -> None:
        if self.failures:
            self.failures -= 1
            raise StoreError("no connection")
        await super().welcome(prefix)


class Office:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.tasks = Tasks()
        self.documents = FailingDocuments(MemoryDocuments())
        self.grants = Grants(self.documents, self.tasks, clock=self.clock)

    async def withdraw(self) -> None:
        self.grants.note_withdrawn(HOME, MOMENT)
        async with self.documents.forgetting(f"{HOME}/"):
            pass

    async def takes_in(self) -> bool:
        assert await self.tasks.drain(TIME_LIMIT_S)
        try:
            await self.documents.put(f"{HOME}/key", {})
        except StoreError:
            return False
        return True


@pytest.fixture
async def office() -> Office:
    office = Office()
    await office.documents.put(INSTALLED, {})
    await office.withdraw()
    return office


async def test_who_is_granted_the_app_is_taken_in(office: Office) -> None:
    assert not await office.takes_in()

    await office.grants.grant(HOME, MOMENT)

    assert await office.takes_in()


async def test_what_failed_is_done_by_the_next_tick(office: Office) -> None:
    office.documents.failures = 1
    await office.grants.grant(HOME, MOMENT)
    assert not await office.takes_in()

    office.grants.look()

    assert await office.takes_in()


async def test_a_grant_that_was_withdrawn_before_it_was_done_is_not(office: Office) -> None:
    office.documents.failures = 1
    await office.grants.grant(HOME, MOMENT)
    await office.withdraw()

    office.grants.look()

    assert not await office.takes_in()


async def test_a_grant_that_is_later_than_the_withdrawal_counts(office: Office) -> None:
    office.documents.failures = 1
    await office.grants.grant(HOME, MOMENT + timedelta(seconds=1))
    await office.withdraw()

    office.grants.look()

    assert await office.takes_in()


async def test_only_who_is_served_long_after_is_taken_in(office: Office) -> None:
    office.clock.now += LATEST_REQUEST
    office.grants.note_served(HOME)
    assert not await office.takes_in()

    office.clock.now += timedelta(seconds=1)
    office.grants.note_served(HOME)

    assert await office.takes_in()


async def test_an_earlier_withdrawal_means_nothing_after_a_grant(office: Office) -> None:
    await office.grants.grant(HOME, MOMENT)
    await office.grants.grant(HOME, MOMENT - LATEST_REQUEST)  # Slack's events in any order

    another_process = Grants(office.documents, office.tasks, clock=office.clock)
    for grants in (office.grants, another_process):
        assert await grants.is_granted_after(HOME, MOMENT - timedelta(seconds=1))
        assert not await grants.is_granted_after(HOME, MOMENT)
        assert not await grants.is_granted_after(WorkspaceId("T4", "E1"), MOMENT)


async def test_a_grant_counts_before_it_is_kept(office: Office) -> None:
    office.documents.failures = 1

    await office.grants.grant(HOME, MOMENT)

    assert await office.grants.is_granted_after(HOME, MOMENT - timedelta(seconds=1))


async def test_what_is_kept_of_a_grant_goes_with_the_workspace(office: Office) -> None:
    await office.grants.grant(HOME, MOMENT)
    assert await office.documents.list_keys("") == [INSTALLED, f"{HOME}/granted"]

    async with office.documents.forgetting(f"{HOME}/"):
        await office.documents.delete_prefix(f"{HOME}/")

    assert not await office.grants.is_granted_after(HOME, MOMENT - timedelta(seconds=1))


async def test_nothing_is_kept_of_who_is_granted_what_has_gone(office: Office) -> None:
    await office.documents.delete(INSTALLED)

    await office.grants.grant(HOME, MOMENT)

    assert await office.documents.list_keys("") == []
