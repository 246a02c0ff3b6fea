"""What is done with keys: proved first, noted after, and nothing changed when it fails."""

from dataclasses import replace
from datetime import date
from typing import cast

import pytest

from bot.access.permissions import Permissions
from bot.access.repository import Act, Audit
from bot.domainkey.service import KeyService
from bot.domains.service import Portfolio, SeenDomains
from bot.keys.key_record import (
    EarlierKeyRefusedError,
    ExpiredDraftError,
    KeyNotHeldError,
    KeysChangedError,
    OtherPortfolioError,
)
from bot.keys.repository import Keys
from bot.keys.workspace_tracker import WorkspaceTracker
from bot.process.workspace import WorkspaceId
from bot.scans.nightly import NightlySetting
from bot.tracker.models import InsufficientPermissionsError, InvalidKeyError, UnavailableError
from tests.builders import KEY, a_domain
from tests.fakes import FakeClock, FakeTracker
from tests.keys.test_repository import RING, a_draft
from tests.memory import MemoryDocuments

ONE = WorkspaceId("T1")
OLD, NEW = KEY, KEY.replace("Q", "R")


class Bot:
    """A key service with everything around it."""

    def __init__(self) -> None:
        documents, self.clock = MemoryDocuments(), FakeClock()
        self.documents = documents
        self.keys = Keys(documents, RING, clock=self.clock)
        self.tracker = FakeTracker(a_domain())
        self.notified: list[WorkspaceId] = []
        connection = WorkspaceTracker(self.tracker, self.keys, on_refusal=self.tell)
        self.portfolio = Portfolio(connection.list_domains, clock=self.clock)
        self.audit = Audit(documents, clock=self.clock)
        self.service = KeyService(
            self.keys,
            connection,
            self.portfolio,
            self.audit,
            SeenDomains(documents),
            Permissions(documents),
            cast(NightlySetting, None),  # nothing is said of nights
        )

    async def tell(self, workspace: WorkspaceId) -> None:
        self.notified.append(workspace)

    async def set_key(self, secret: str) -> None:
        self.clock.advance(60)
        draft = a_draft(secret)
        await self.service.set_key(ONE, draft, by="U1")

    async def in_use(self) -> str:
        return (await self.keys.stored(ONE)).secret

    async def remove(self) -> None:
        record = await self.keys.record(ONE)
        await self.service.remove(ONE, record.mark if record else "", by="U1")

    async def earlier_mark(self) -> str:
        pair = await self.keys.pair(ONE)
        assert pair is not None
        assert pair.earlier is not None
        return pair.earlier.record.mark

    async def acts(self) -> list[Act]:
        return [entry.act for entry in await self.audit.entries(ONE)]


@pytest.fixture
async def bot() -> Bot:
    bot = Bot()
    await bot.set_key(OLD)
    await bot.set_key(NEW)
    bot.tracker.asked.clear()
    return bot


@pytest.mark.parametrize(
    "error", [InvalidKeyError("no"), UnavailableError(is_outcome_unknown=True)], ids=repr
)
async def test_a_key_that_does_not_work_changes_nothing(bot: Bot, error: Exception) -> None:
    other = KEY.replace("Q", "S")
    bot.tracker.errors[other] = error

    with pytest.raises(type(error)):
        await bot.set_key(other)

    assert await bot.in_use() == NEW
    assert len(await bot.acts()) == 2


async def test_the_last_step_is_refused_once_the_keys_are_others(bot: Bot) -> None:
    mark = await bot.earlier_mark()
    await bot.service.roll_back(ONE, mark, by="U2")

    with pytest.raises(KeysChangedError):  # that key is in use again
        await bot.service.finish(ONE, mark, by="U1")
    await bot.set_key(KEY.replace("Q", "S"))
    other = await bot.earlier_mark()
    await bot.set_key(KEY.replace("Q", "T"))
    with pytest.raises(KeysChangedError):  # another one is the earlier one
        await bot.service.finish(ONE, other, by="U1")
    earlier = await bot.earlier_mark()
    shown = {(await bot.service.finish(ONE, earlier, by="U1")).shown for _ in range(2)}

    assert len(shown) == 1  # a second press


async def test_an_expiration_in_the_past_sends_no_request(bot: Bot) -> None:
    draft = replace(a_draft(), expires_on=date(2030, 2, 28))

    with pytest.raises(ExpiredDraftError):
        await bot.service.set_key(ONE, draft, by="U1")

    assert bot.tracker.asked == []


async def test_a_key_may_expire_today(bot: Bot) -> None:
    draft = replace(a_draft(OLD), expires_on=bot.clock().date())

    await bot.service.set_key(ONE, draft, by="U1")

    assert await bot.in_use() == OLD


async def test_a_key_of_another_portfolio_waits_for_a_confirmation(bot: Bot) -> None:
    other = KEY.replace("Q", "S")
    bot.tracker.domains = (a_domain("elsewhere.example"),)

    with pytest.raises(OtherPortfolioError) as asked:
        await bot.set_key(other)
    assert (asked.value.sees, asked.value.before) == (1, 1)
    assert await bot.in_use() == NEW
    await bot.service.confirm(ONE, by="U1")

    assert await bot.in_use() == other
    with pytest.raises(KeyNotHeldError):
        await bot.service.confirm(ONE, by="U1")


async def test_a_key_of_the_portfolio_rolled_back_to_is_not_asked_about(bot: Bot) -> None:
    elsewhere = replace(bot.service, seen=SeenDomains(bot.documents))
    home, bot.tracker.domains = bot.tracker.domains, (a_domain("elsewhere.example"),)
    bot.clock.advance(60)
    await elsewhere.set_key(ONE, a_draft(KEY.replace("Q", "S")), by="U1", is_confirmed=True)
    bot.tracker.domains = home
    await bot.service.roll_back(ONE, await bot.earlier_mark(), by="U1")

    await bot.set_key(KEY.replace("Q", "T"))

    assert await bot.in_use() == KEY.replace("Q", "T")


async def test_what_was_seen_outlives_the_key_and_an_empty_list_counts_as_none(
    bot: Bot,
) -> None:
    await bot.remove()
    bot.tracker.domains = ()

    with pytest.raises(OtherPortfolioError):
        await bot.set_key(NEW)


async def test_a_confirmation_comes_too_late_after_a_quarter_of_an_hour(
    bot: Bot,
) -> None:
    bot.tracker.domains = ()
    with pytest.raises(OtherPortfolioError):
        await bot.set_key(KEY.replace("Q", "S"))
    bot.clock.advance(15 * 60)

    with pytest.raises(KeyNotHeldError):
        await bot.service.confirm(ONE, by="U1")


async def test_the_key_in_use_can_be_set_with_other_facts(bot: Bot) -> None:
    earlier = await bot.earlier_mark()

    await bot.set_key(NEW)

    assert await bot.in_use() == NEW
    assert await bot.earlier_mark() == earlier


async def test_rolling_back_proves_the_key_with_one_request(bot: Bot) -> None:
    _, domains = await bot.service.roll_back(ONE, await bot.earlier_mark(), by="U2")

    assert bot.tracker.asked == [("list", OLD)]
    assert (await bot.in_use(), domains) == (OLD, 1)
    assert (await bot.acts())[0] == Act.KEY_ROLLED_BACK


@pytest.mark.parametrize("error", [InvalidKeyError(), InsufficientPermissionsError()], ids=repr)
async def test_a_refused_earlier_key_stays_in_place(bot: Bot, error: Exception) -> None:
    bot.tracker.errors[OLD] = error

    with pytest.raises(EarlierKeyRefusedError):
        await bot.service.roll_back(ONE, await bot.earlier_mark(), by="U2")

    assert await bot.in_use() == NEW
    assert bot.notified == []
    assert (await bot.keys.stored(ONE)).record.refused_at is None


async def test_removing_is_noted_once(bot: Bot) -> None:
    await bot.remove()
    await bot.remove()

    assert (await bot.acts()).count(Act.KEY_REMOVED) == 1


async def test_a_key_that_works_again_is_known_without_another_request(bot: Bot) -> None:
    bot.tracker.errors[NEW] = InvalidKeyError("refused")
    with pytest.raises(InvalidKeyError):
        await bot.portfolio.snapshot(ONE)
    bot.tracker.errors.clear()
    bot.tracker.asked.clear()

    pair, domains = await bot.service.check(ONE)

    assert (domains, pair.record.last4) == (1, NEW[-4:])
    assert await bot.portfolio.last_snapshot(ONE)
    assert bot.tracker.asked == [("list", NEW)]


async def test_what_another_key_listed_is_forgotten(bot: Bot) -> None:
    await bot.portfolio.snapshot(ONE)
    bot.tracker.asked.clear()

    await bot.service.roll_back(ONE, await bot.earlier_mark(), by="U2")
    assert await bot.portfolio.last_snapshot(ONE) is None
    await bot.portfolio.snapshot(ONE)

    assert bot.tracker.asked == [("list", OLD), ("list", OLD)]


async def test_what_a_removed_key_listed_is_forgotten(bot: Bot) -> None:
    await bot.portfolio.snapshot(ONE)

    await bot.remove()

    assert await bot.portfolio.last_snapshot(ONE) is None
