"""What is done with keys: proved first, noted after, and nothing changed when it fails."""

from dataclasses import replace
from datetime import date

import pytest

from bot.access.repository import Act, Audit, EarlierKeyRefusedError
from bot.domainkey.service import KeyService
from bot.domains.seen import SeenDomains
from bot.domains.service import Portfolio
from bot.keys.key_record import (
    ExpiredDraftError,
    NoEarlierKeyError,
    NoKeyError,
    OtherKeyError,
    OtherPortfolioError,
    StoredKey,
)
from bot.keys.repository import Keys
from bot.keys.workspace_tracker import WorkspaceTracker
from bot.process.workspace import WorkspaceId
from bot.tracker.models import InsufficientPermissionsError, InvalidKeyError, UnavailableError
from tests.api_keys.test_repository import RING, a_draft
from tests.builders import KEY, a_domain
from tests.fakes import FakeClock, FakeTracker
from tests.memory import MemoryDocuments

pytestmark = pytest.mark.anyio

ONE = WorkspaceId("T1")
OLD, NEW = KEY, KEY.replace("Q", "R")


class Office:
    """A custody with everything around it."""

    def __init__(self) -> None:
        documents, self.clock = MemoryDocuments(), FakeClock()
        self.keys = Keys(documents, RING, clock=self.clock)
        self.tracker = FakeTracker(a_domain())
        self.notified: list[StoredKey] = []
        connection = WorkspaceTracker(self.tracker, self.keys, on_refusal=self.tell)
        self.portfolio = Portfolio(connection.list_domains, clock=self.clock)
        self.audit = Audit(documents, clock=self.clock)
        self.custody = KeyService(
            self.keys, connection, self.portfolio, self.audit, SeenDomains(documents)
        )

    async def tell(self, workspace: WorkspaceId, key: StoredKey) -> None:
        self.notified.append(key)

    async def set_key(self, secret: str) -> None:
        self.clock.advance(60)
        draft = a_draft(secret)
        await self.custody.set_key(ONE, draft, by="U1")

    async def in_use(self) -> str:
        return (await self.keys.stored(ONE)).secret

    async def earlier_mark(self) -> str:
        pair = await self.keys.pair(ONE)
        assert pair is not None
        assert pair.earlier is not None
        return pair.earlier.record.mark

    async def acts(self) -> list[Act]:
        return [entry.act for entry in await self.audit.entries(ONE)]


@pytest.fixture
async def office() -> Office:
    office = Office()
    await office.set_key(OLD)
    await office.set_key(NEW)
    office.tracker.asked.clear()
    return office


@pytest.mark.parametrize(
    "error", [InvalidKeyError("no"), UnavailableError(is_outcome_unknown=True)], ids=repr
)
async def test_a_key_that_does_not_work_changes_nothing(office: Office, error: Exception) -> None:
    other = KEY.replace("Q", "S")
    office.tracker.errors[other] = error

    with pytest.raises(type(error)):
        await office.set_key(other)

    assert await office.in_use() == NEW
    assert len(await office.acts()) == 2


async def test_an_expiration_in_the_past_asks_nobody(office: Office) -> None:
    draft = replace(a_draft(), expires_on=date(2030, 2, 28))

    with pytest.raises(ExpiredDraftError):
        await office.custody.set_key(ONE, draft, by="U1")

    assert office.tracker.asked == []


async def test_a_key_may_expire_today(office: Office) -> None:
    draft = replace(a_draft(OLD), expires_on=office.clock().date())

    await office.custody.set_key(ONE, draft, by="U1")

    assert await office.in_use() == OLD


async def test_a16_a_key_of_another_portfolio_waits_for_a_confirmation(office: Office) -> None:
    other = KEY.replace("Q", "S")
    office.tracker.domains = (a_domain("elsewhere.example"),)

    with pytest.raises(OtherPortfolioError) as asked:
        await office.set_key(other)
    assert (asked.value.sees, asked.value.before) == (1, 1)
    assert await office.in_use() == NEW
    await office.custody.confirm(ONE, by="U1")

    assert await office.in_use() == other
    with pytest.raises(NoEarlierKeyError):
        await office.custody.confirm(ONE, by="U1")


async def test_a16_what_was_seen_outlives_the_key_and_an_empty_list_counts_as_none(
    office: Office,
) -> None:
    await office.custody.remove(ONE, None, by="U1")
    office.tracker.domains = ()

    with pytest.raises(OtherPortfolioError):
        await office.set_key(NEW)


async def test_a16_a_confirmation_comes_too_late_after_a_quarter_of_an_hour(
    office: Office,
) -> None:
    office.tracker.domains = ()
    with pytest.raises(OtherPortfolioError):
        await office.set_key(KEY.replace("Q", "S"))
    office.clock.advance(15 * 60)

    with pytest.raises(NoEarlierKeyError):
        await office.custody.confirm(ONE, by="U1")


async def test_the_key_in_use_can_be_set_with_other_facts(office: Office) -> None:
    earlier = await office.earlier_mark()

    await office.set_key(NEW)

    assert await office.in_use() == NEW
    assert await office.earlier_mark() == earlier


async def test_rolling_back_proves_the_key_with_one_request(office: Office) -> None:
    tried = await office.custody.roll_back(ONE, await office.earlier_mark(), by="U2")

    assert office.tracker.asked == [("list", OLD)]
    assert (await office.in_use(), tried.domains) == (OLD, 1)
    assert (await office.acts())[0] == Act.KEY_ROLLED_BACK


@pytest.mark.parametrize("error", [InvalidKeyError(), InsufficientPermissionsError()], ids=repr)
async def test_an_earlier_key_that_is_refused_stays_where_it_is(
    office: Office, error: Exception
) -> None:
    office.tracker.errors[OLD] = error

    with pytest.raises(EarlierKeyRefusedError):
        await office.custody.roll_back(ONE, await office.earlier_mark(), by="U2")

    assert await office.in_use() == NEW
    assert office.notified == []
    assert (await office.keys.stored(ONE)).record.refused_at is None


async def test_a_key_replaced_while_the_earlier_one_is_proved_stays(office: Office) -> None:
    newest = KEY.replace("Q", "S")

    async def replace_it() -> None:
        office.tracker.before_answer = None
        await office.set_key(newest)

    mark = await office.earlier_mark()
    office.tracker.before_answer = replace_it

    with pytest.raises(NoEarlierKeyError):
        await office.custody.roll_back(ONE, mark, by="U2")

    assert await office.in_use() == newest


async def test_removing_is_noted_once(office: Office) -> None:
    await office.custody.remove(ONE, None, by="U1")
    await office.custody.remove(ONE, None, by="U1")

    assert (await office.acts()).count(Act.KEY_REMOVED) == 1


async def test_removing_another_key_than_was_meant_is_refused(office: Office) -> None:
    with pytest.raises(OtherKeyError):
        await office.custody.remove(ONE, await office.earlier_mark(), by="U1")

    assert Act.KEY_REMOVED not in await office.acts()


async def test_the_old_key_is_forgotten_once(office: Office) -> None:
    mark = await office.earlier_mark()

    for _ in range(2):
        await office.custody.forget_earlier(ONE, mark, by="U1")

    assert (await office.acts()).count(Act.EARLIER_KEY_FORGOTTEN) == 1


async def test_a_key_that_works_again_is_known_to_all_without_another_request(
    office: Office,
) -> None:
    office.tracker.errors[NEW] = InvalidKeyError("refused")
    with pytest.raises(InvalidKeyError):
        await office.portfolio.snapshot(ONE)
    office.tracker.errors.clear()
    office.tracker.asked.clear()

    checked = await office.custody.check(ONE)

    assert (checked.domains, checked.record.last4) == (1, NEW[-4:])
    assert await office.portfolio.last_snapshot(ONE)
    assert office.tracker.asked == [("list", NEW)]


async def test_checking_without_a_key_says_so() -> None:
    with pytest.raises(NoKeyError):
        await Office().custody.check(ONE)


async def test_what_another_key_listed_is_forgotten(office: Office) -> None:
    await office.portfolio.snapshot(ONE)
    office.tracker.asked.clear()

    await office.custody.roll_back(ONE, await office.earlier_mark(), by="U2")
    assert await office.portfolio.last_snapshot(ONE) is None
    await office.portfolio.snapshot(ONE)

    assert office.tracker.asked == [("list", OLD), ("list", OLD)]


async def test_what_a_removed_key_listed_is_forgotten(office: Office) -> None:
    await office.portfolio.snapshot(ONE)

    await office.custody.remove(ONE, None, by="U2")

    assert await office.portfolio.last_snapshot(ONE) is None


async def test_a_key_that_is_removed_while_it_is_checked_is_not_there(office: Office) -> None:
    office.tracker.before_answer = lambda: office.keys.remove(ONE)

    with pytest.raises(NoKeyError):
        await office.custody.check(ONE)


async def test_a_key_that_is_refused_and_removed_meanwhile_was_refused(office: Office) -> None:
    office.tracker.before_answer = lambda: office.keys.remove(ONE)
    office.tracker.errors[NEW] = InvalidKeyError("refused")

    with pytest.raises(InvalidKeyError):
        await office.portfolio.snapshot(ONE)

    assert office.tracker.asked == [("list", NEW)]
