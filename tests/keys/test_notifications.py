"""Who is notified of what about a key, when, and how often."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

import pytest

from bot.access.permissions import Permissions
from bot.blocks.message import Message
from bot.keys.key_record import KeyNotice, KeyRecord
from bot.keys.notifications import LEASE, Claim, KeyNotices
from bot.keys.repository import Keys
from bot.process.concurrency import Tasks
from bot.process.workspace import WorkspaceId
from bot.slack.client import SentMessage
from bot.slack.errors import (
    SlackRateLimitedError,
    SlackUnavailableError,
    TokenRefusedError,
)
from bot.slack.posting import MAX_TRIES
from bot.store.documents import StoreError
from tests.builders import KEY, MOMENT
from tests.fakes import TIME_LIMIT_S, FakeClock, FakePosts
from tests.keys.test_repository import RING, a_draft
from tests.memory import EventfulDocuments

ONE = WorkspaceId("T1")
DAY = timedelta(days=1)
NEW_KEY = KEY.replace("Q", "R")
# The key of `a_draft` ends on 1 June 2030, and is set on 1 March at 14:05.
ENDS = MOMENT + 92 * DAY


@pytest.fixture(autouse=True)
def _names_as_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.keys.notifications.key_notice", words)


def words(notice: KeyNotice, record: KeyRecord, today: date) -> Message:
    return Message(f"{notice.name} on {today:%d %b}")


class People(FakePosts):
    """People of whom only the first ones can be notified."""

    fails_after: int | None = None
    failure: Exception = SlackUnavailableError("down")
    of_workspace: Sequence[str] = ()

    def __init__(self) -> None:
        super().__init__()
        self.may_go_on = asyncio.Event()
        self.may_go_on.set()
        self.is_asked = asyncio.Event()

    async def admins(self, _workspace: WorkspaceId, limit: int) -> tuple[str, ...]:
        return tuple(self.of_workspace[:limit])

    async def send_dm(self, workspace: WorkspaceId, user_id: str, message: Message) -> SentMessage:
        self.is_asked.set()
        await self.may_go_on.wait()
        if self.fails_after is not None and len(self.notified) >= self.fails_after:
            raise self.failure
        return await super().send_dm(workspace, user_id, message)


class Bot:
    """Notices around a store in memory, with people who remember what they were sent."""

    def __init__(self) -> None:
        self.documents = EventfulDocuments()
        self.clock = FakeClock()
        self.posts = People()
        self.keys = Keys(self.documents, RING, clock=self.clock)
        self.permissions = Permissions(self.documents)
        self.start()

    def start(self) -> None:
        """Start as a new process would, on the same store."""
        self.tasks = Tasks()
        self.notices = KeyNotices(
            self.documents,
            self.tasks,
            self.posts,
            self.keys,
            self.permissions,
            clock=self.clock,
        )

    async def tick(self, times: int = 1) -> None:
        for _ in range(times):
            await self.notices.run_due()
            assert await self.tasks.drain(TIME_LIMIT_S)

    async def at(self, days_left: float) -> list[str]:
        """Let it be so many days before the end; return everything said so far."""
        self.clock.now = ENDS - days_left * DAY
        await self.tick(2)
        return self.said

    @property
    def notified(self) -> list[str]:
        return [user_id for user_id, _ in self.posts.notified]

    @property
    def said(self) -> list[str]:
        return [text.partition(" ")[0] for _, text in self.posts.notified]

    async def refuse(self) -> None:
        await self.keys.note_refused(ONE, await self.keys.stored(ONE))


@pytest.fixture
async def bot() -> Bot:
    bot = Bot()
    await bot.keys.save(ONE, a_draft(), set_by="U1")
    return bot


async def test_each_step_of_the_countdown_is_sent_once(bot: Bot) -> None:
    for days in (20, 14, 13, 7, 5, 3, 2, 1, 0, -1, -5):
        said = await bot.at(days)

    assert said == ["expiry-14", "expiry-7", "expiry-3", "expiry-1", "expiry-0"]


async def test_the_age_of_a_key_is_mentioned_once(bot: Bot) -> None:
    await bot.keys.save(ONE, replace(a_draft(NEW_KEY), expires_on=None), set_by="U1")
    bot.clock.now = MOMENT + 90 * DAY
    await bot.tick(2)

    await bot.keys.note_lacking(ONE, await bot.keys.stored(ONE), "add")
    await bot.tick(2)

    assert bot.said == ["rotation"]


@pytest.mark.parametrize("reached", [1, 3])
async def test_readers_of_a_refusal_hear_once_that_the_key_works(bot: Bot, reached: int) -> None:
    await bot.permissions.name_managers(ONE, ("U2", "U3"))
    bot.posts.fails_after = reached
    await bot.refuse()
    await bot.tick()
    informed = list(bot.notified)
    bot.posts.fails_after = None

    await bot.keys.note_accepted(ONE, await bot.keys.stored(ONE), "list")
    await bot.tick(3)

    assert len(informed) == reached
    assert bot.notified == informed * 2
    assert set(bot.said[reached:]) == {"works-again"}


@pytest.mark.parametrize("is_put_back", [False, True])
async def test_readers_of_a_notice_that_is_still_sent_hear_of_another_key(
    bot: Bot, *, is_put_back: bool
) -> None:
    await bot.keys.save(ONE, a_draft(NEW_KEY), set_by="U1")
    await bot.permissions.name_managers(ONE, ("U2", "U3"))
    bot.posts.fails_after = 2
    await bot.refuse()
    await bot.tick()
    bot.posts.fails_after = None

    if is_put_back:
        pair = await bot.keys.pair(ONE)
        assert pair is not None
        assert pair.earlier is not None
        await bot.keys.roll_back(ONE, await bot.keys.earlier(ONE, pair.earlier.record.mark))
    else:
        await bot.keys.save(ONE, a_draft(NEW_KEY.replace("R", "S")), set_by="U9")
    await bot.tick(3)

    assert bot.said == ["refused", "refused", "works-again", "works-again"]


@pytest.mark.parametrize("is_refused", [True, False])
async def test_readers_of_a_refusal_hear_of_a_new_key(bot: Bot, is_refused: bool) -> None:
    await bot.permissions.name_managers(ONE, ("U2",))
    if is_refused:
        await bot.refuse()
    await bot.tick()
    bot.posts.notified.clear()

    await bot.keys.save(ONE, a_draft(NEW_KEY), set_by="U1")
    await bot.tick(3)

    assert list(zip(bot.notified, bot.said, strict=True)) == [("U2", "works-again")] * is_refused


async def test_a_refused_key_that_is_put_back_is_tried_again(bot: Bot) -> None:
    await bot.refuse()
    await bot.tick()
    bot.clock.advance(1)
    await bot.keys.save(ONE, a_draft(NEW_KEY), set_by="U1")
    await bot.tick()
    pair = await bot.keys.pair(ONE)
    assert pair is not None
    assert pair.earlier is not None

    await bot.keys.roll_back(ONE, await bot.keys.earlier(ONE, pair.earlier.record.mark))
    await bot.tick(2)
    said = bot.said
    may_try = bot.keys.may_try(await bot.keys.stored(ONE))
    await bot.refuse()
    await bot.tick()

    assert (said, may_try) == (["refused"], True)
    assert bot.notified == ["U1", "U1"]


@pytest.mark.parametrize("days_left", [14, 5])
async def test_a_near_expiration_is_not_announced_at_once(bot: Bot, days_left: int) -> None:
    bot.clock.now = ENDS - days_left * DAY
    await bot.keys.save(ONE, a_draft(NEW_KEY), set_by="U1")

    said = await bot.at(days_left - 0.1)

    assert said == []
    assert await bot.at(3) != []


async def test_a_refusal_is_sent_while_a_reminder_is_under_way(bot: Bot) -> None:
    bot.posts.may_go_on.clear()
    bot.clock.now = ENDS - 14 * DAY
    await bot.notices.run_due()
    await bot.posts.is_asked.wait()
    await bot.refuse()
    telling = asyncio.create_task(bot.notices(ONE))
    await asyncio.sleep(0)
    bot.posts.may_go_on.set()
    await telling

    assert (await bot.keys.stored(ONE)).record.told == ("U1",)


async def test_a_second_caller_waits_for_the_same_notice(bot: Bot) -> None:
    bot.posts.may_go_on.clear()
    await bot.refuse()
    first = asyncio.create_task(bot.notices(ONE))
    await bot.posts.is_asked.wait()
    bot.start()  # another process
    second = asyncio.create_task(bot.notices(ONE))
    await asyncio.wait({second}, timeout=0.05)
    bot.posts.may_go_on.set()
    await second

    assert (await bot.keys.stored(ONE)).record.told == ("U1",)
    await first
    assert len(bot.posts.notified) == 1


async def test_a_person_who_left_does_not_block_the_others(bot: Bot) -> None:
    bot.posts.gone = {"U1"}
    await bot.permissions.name_managers(ONE, ("U2",))
    await bot.refuse()

    await bot.tick(2)

    assert [user_id for user_id, _ in bot.posts.notified] == ["U2"]
    assert (await bot.keys.stored(ONE)).record.told_at is not None


async def test_five_admins_are_notified_when_all_managers_have_left(bot: Bot) -> None:
    bot.posts.gone = {"U1", "U2"}
    await bot.permissions.name_managers(ONE, ("U2",))
    bot.posts.of_workspace = [f"A{number}" for number in range(9)]
    await bot.refuse()
    await bot.tick(3)
    await bot.keys.note_accepted(ONE, await bot.keys.stored(ONE), "list")
    await bot.tick(3)

    five = [f"A{number}" for number in range(5)]
    assert list(zip(bot.notified, bot.said, strict=True)) == [
        *((each, "refused") for each in five),
        *((each, "works-again") for each in five),
    ]


async def test_without_recipients_a_notice_ends(bot: Bot) -> None:
    bot.posts.gone = {"U1"}
    await bot.refuse()

    await bot.tick()

    assert await bot.documents.due_keys(bot.clock()) == []


@pytest.mark.parametrize(
    ("error", "wait_s"),
    [
        (SlackRateLimitedError(30), 30),
        (SlackUnavailableError("down"), 60),
        (TokenRefusedError("account_inactive"), 3600),
    ],
    ids=["rate", "down", "token"],
)
async def test_an_unsent_notice_is_sent_later(bot: Bot, error: Exception, wait_s: float) -> None:
    bot.posts.errors = [error]
    await bot.refuse()
    await bot.tick(2)
    bot.clock.advance(wait_s - 1)
    await bot.tick()
    assert bot.posts.notified == []

    bot.clock.advance(1)
    await bot.tick()

    assert len(bot.posts.notified) == 1


async def test_a_person_already_notified_is_not_notified_again(bot: Bot) -> None:
    await bot.permissions.name_managers(ONE, ("U2", "U3"))
    await bot.refuse()
    bot.posts.fails_after = 1

    await bot.tick()
    bot.posts.fails_after = None
    bot.clock.advance(61)
    await bot.tick()

    assert [user_id for user_id, _ in bot.posts.notified] == ["U1", "U2", "U3"]


async def test_a_notice_is_given_up_after_many_tries(bot: Bot) -> None:
    await bot.refuse()
    for left in reversed(range(MAX_TRIES + 1)):
        bot.posts.errors = [TokenRefusedError("account_inactive")]
        await bot.tick()
        bot.clock.advance(3600)

        assert len(await bot.documents.due_keys(bot.clock())) == min(left, 1)


async def test_another_worker_takes_over_from_one_that_died(bot: Bot) -> None:
    await bot.refuse()
    await bot.notices.claim(ONE)
    await bot.tick()
    assert bot.posts.notified == []
    assert await bot.documents.due_keys(bot.clock()) == []

    bot.clock.advance(LEASE.total_seconds())
    await bot.tick()

    assert len(bot.posts.notified) == 1


async def test_an_unsent_reminder_does_not_delay_a_refusal(bot: Bot) -> None:
    bot.posts.errors = [TokenRefusedError("account_inactive")]
    await bot.at(14)
    await bot.refuse()

    await bot.tick()

    assert bot.said == ["refused"]


async def test_the_earlier_key_is_forgotten_by_the_clock(bot: Bot) -> None:
    await bot.keys.save(ONE, a_draft(NEW_KEY), set_by="U1")
    bot.clock.now += 7 * DAY

    await bot.tick()

    document = await bot.documents.get(f"{ONE}/key")
    assert document is not None
    assert document.value["earlier"] is None
    assert bot.posts.notified == []


async def test_a_notice_that_cannot_be_sent_fails_no_command(bot: Bot) -> None:
    await bot.refuse()
    bot.posts.errors = [StoreError("down")]

    await bot.notices(ONE)

    assert bot.posts.notified == []


async def claimed(bot: Bot) -> Claim:
    """Return what a worker has in hand that tells of a refusal."""
    await bot.refuse()
    claim = await bot.notices.claim(ONE)
    assert claim is not None
    return claim


async def test_notices_about_the_old_key_do_not_count_for_the_new_one(bot: Bot) -> None:
    old = await claimed(bot)
    bot.clock.advance(1)
    await bot.keys.save(ONE, a_draft(NEW_KEY), set_by="U1")
    await bot.refuse()

    await bot.notices.settle(ONE, old, ("U1",), None)

    assert (await bot.keys.stored(ONE)).record.told_at is None


async def test_a_note_on_the_key_ends_no_claim(bot: Bot) -> None:
    await claimed(bot)

    await bot.keys.note_lacking(ONE, await bot.keys.stored(ONE), "add")

    assert await bot.notices.claim(ONE) is None
    bot.clock.advance(LEASE.total_seconds())
    assert await bot.notices.claim(ONE) is not None


async def test_a_worker_that_is_late_does_not_end_the_next_step(bot: Bot) -> None:
    bot.clock.now = ENDS - 14 * DAY
    late = await bot.notices.claim(ONE)
    assert late is not None
    bot.clock.now = ENDS - 7 * DAY
    await bot.notices.claim(ONE)

    await bot.notices.settle(ONE, late, (), None)

    assert await bot.at(6.9) == ["expiry-7"]
