"""Who is notified of what about a key, when, and how often."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

import pytest

from bot.access.repository import Managers
from bot.blocks.message import Message
from bot.keys.key_record import KeyNotice, KeyRecord
from bot.keys.notifications import (
    Claim,
    KeyClaims,
    KeyNotices,
)
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
from tests.api_keys.test_repository import RING, a_draft
from tests.builders import KEY, MOMENT
from tests.fakes import TIME_LIMIT_S, FakeClock, FakePosts
from tests.memory import EventfulDocuments

pytestmark = pytest.mark.anyio

ONE = WorkspaceId("T1")
DAY = timedelta(days=1)
NEW_KEY = KEY.replace("Q", "R")
# The key of `a_draft` ends on 1 June 2030, and is set on 1 March at 14:05.
ENDS = MOMENT + 92 * DAY


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


class Bell:
    """Notices around a store in memory, with people who remember what they were sent."""

    def __init__(self) -> None:
        self.documents = EventfulDocuments()
        self.clock = FakeClock()
        self.posts = People()
        self.keys = Keys(self.documents, RING, clock=self.clock)
        self.claims = KeyClaims(self.keys)
        self.managers = Managers(self.documents)
        self.start()

    def start(self) -> None:
        """Start as a new process would, on the same store."""
        self.tasks = Tasks()
        self.notices = KeyNotices(
            self.posts,
            self.claims,
            self.managers,
            words,
            self.tasks,
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
async def bell() -> Bell:
    bell = Bell()
    await bell.keys.save(ONE, a_draft(), set_by="U1")
    return bell


async def test_each_step_of_the_countdown_is_told_once(bell: Bell) -> None:
    for days in (20, 14, 13, 7, 5, 3, 2, 1, 0, -1, -5):
        said = await bell.at(days)

    assert said == ["expiry-14", "expiry-7", "expiry-3", "expiry-1", "expiry-0"]


async def test_who_was_told_of_a_step_before_some_trouble_is_told_of_the_next_one_too(
    bell: Bell,
) -> None:
    await bell.managers.name(ONE, ("U2",))
    bell.posts.fails_after = 1
    await bell.at(14)
    bell.posts.fails_after = None

    said = await bell.at(7)

    assert list(zip(bell.notified, said, strict=True)) == [
        ("U1", "expiry-14"),
        ("U1", "expiry-7"),
        ("U2", "expiry-7"),
    ]


async def test_that_a_key_is_old_is_told_once_whatever_is_noted_of_it(bell: Bell) -> None:
    await bell.keys.save(ONE, replace(a_draft(NEW_KEY), expires_on=None), set_by="U1")
    bell.clock.now = MOMENT + 90 * DAY
    await bell.tick(2)

    await bell.keys.note_lacking(ONE, await bell.keys.stored(ONE), "add")
    await bell.tick(2)

    assert bell.said == ["rotation"]


@pytest.mark.parametrize("reached", [1, 3])
async def test_those_who_read_of_a_refusal_are_told_once_that_the_key_works_again(
    bell: Bell, reached: int
) -> None:
    await bell.managers.name(ONE, ("U2", "U3"))
    bell.posts.fails_after = reached
    await bell.refuse()
    await bell.tick()
    informed = list(bell.notified)
    bell.posts.fails_after = None

    await bell.keys.note_accepted(ONE, await bell.keys.stored(ONE), "list")
    await bell.tick(3)

    assert len(informed) == reached
    assert bell.notified == informed * 2
    assert set(bell.said[reached:]) == {"works-again"}


@pytest.mark.parametrize("is_refused", [True, False])
async def test_those_who_read_of_a_refusal_and_did_not_set_the_new_key_are_told_of_it(
    bell: Bell, is_refused: bool
) -> None:
    await bell.managers.name(ONE, ("U2",))
    if is_refused:
        await bell.refuse()
    await bell.tick()
    bell.posts.notified.clear()

    await bell.keys.save(ONE, a_draft(NEW_KEY), set_by="U1")
    await bell.tick(3)

    assert list(zip(bell.notified, bell.said, strict=True)) == [("U2", "works-again")] * is_refused


async def test_a_refused_key_that_is_put_back_is_as_new(bell: Bell) -> None:
    await bell.refuse()
    await bell.tick()
    bell.clock.advance(1)
    await bell.keys.save(ONE, a_draft(NEW_KEY), set_by="U1")
    await bell.tick()
    pair = await bell.keys.pair(ONE)
    assert pair is not None
    assert pair.earlier is not None

    await bell.keys.roll_back(ONE, await bell.keys.earlier(ONE, pair.earlier.record.mark))
    await bell.tick(2)
    said = bell.said
    may_try = bell.keys.may_try(await bell.keys.stored(ONE))
    await bell.refuse()
    await bell.tick()

    assert (said, may_try) == (["refused"], True)
    assert bell.notified == ["U1", "U1"]


@pytest.mark.parametrize("days_left", [14, 5])
async def test_who_enters_a_near_end_is_not_told_of_it_at_once(bell: Bell, days_left: int) -> None:
    bell.clock.now = ENDS - days_left * DAY
    await bell.keys.save(ONE, a_draft(NEW_KEY), set_by="U1")

    said = await bell.at(days_left - 0.1)

    assert said == []
    assert await bell.at(3) != []


async def test_a_refused_key_is_told_once_to_all_of_them(bell: Bell) -> None:
    await bell.managers.name(ONE, ("U2",))
    await bell.refuse()

    await bell.notices(ONE, await bell.keys.stored(ONE))
    await bell.tick(3)

    assert [user_id for user_id, _ in bell.posts.notified] == ["U1", "U2"]
    assert (await bell.keys.stored(ONE)).record.told == ("U1", "U2")


async def test_a_refusal_is_told_though_a_reminder_is_under_way(bell: Bell) -> None:
    bell.posts.may_go_on.clear()
    bell.clock.now = ENDS - 14 * DAY
    await bell.notices.run_due()
    await bell.posts.is_asked.wait()
    await bell.refuse()
    telling = asyncio.create_task(bell.notices(ONE, await bell.keys.stored(ONE)))
    await asyncio.sleep(0)
    bell.posts.may_go_on.set()
    await telling

    assert (await bell.keys.stored(ONE)).record.told == ("U1",)


async def test_a_refusal_is_told_by_one_of_two_processes(bell: Bell) -> None:
    await bell.refuse()
    key = await bell.keys.stored(ONE)
    first = bell.notices
    bell.start()

    await asyncio.gather(first(ONE, key), bell.notices(ONE, key))

    assert len(bell.posts.notified) == 1


async def test_who_has_left_does_not_keep_the_others_from_being_told(bell: Bell) -> None:
    bell.posts.gone = {"U1"}
    await bell.managers.name(ONE, ("U2",))
    await bell.refuse()

    await bell.tick(2)

    assert [user_id for user_id, _ in bell.posts.notified] == ["U2"]
    assert (await bell.keys.stored(ONE)).record.told_at is not None


async def test_when_all_of_them_have_left_five_admins_are_told_once(bell: Bell) -> None:
    bell.posts.gone = {"U1", "U2"}
    await bell.managers.name(ONE, ("U2",))
    bell.posts.of_workspace = [f"A{number}" for number in range(9)]
    await bell.refuse()
    await bell.tick(3)
    await bell.keys.note_accepted(ONE, await bell.keys.stored(ONE), "list")
    await bell.tick(3)

    five = [f"A{number}" for number in range(5)]
    assert list(zip(bell.notified, bell.said, strict=True)) == [
        *((each, "refused") for each in five),
        *((each, "works-again") for each in five),
    ]


async def test_where_nobody_is_left_nothing_is_tried_for_ever(bell: Bell) -> None:
    bell.posts.gone = {"U1"}
    await bell.refuse()

    await bell.tick()

    assert await bell.documents.due_keys(bell.clock()) == []


@pytest.mark.parametrize(
    ("error", "wait_s"),
    [
        (SlackRateLimitedError(30), 30),
        (SlackUnavailableError("down"), 60),
        (TokenRefusedError("account_inactive"), 3600),
    ],
    ids=["rate", "down", "token"],
)
async def test_what_slack_does_not_take_is_told_later(
    bell: Bell, error: Exception, wait_s: float
) -> None:
    bell.posts.errors = [error]
    await bell.refuse()
    await bell.tick(2)
    bell.clock.advance(wait_s - 1)
    await bell.tick()
    assert bell.posts.notified == []

    bell.clock.advance(1)
    await bell.tick()

    assert len(bell.posts.notified) == 1


async def test_who_was_told_before_the_trouble_is_not_told_again(bell: Bell) -> None:
    await bell.managers.name(ONE, ("U2", "U3"))
    await bell.refuse()
    bell.posts.fails_after = 1

    await bell.tick()
    bell.posts.fails_after = None
    bell.clock.advance(61)
    await bell.tick()

    assert [user_id for user_id, _ in bell.posts.notified] == ["U1", "U2", "U3"]


async def test_a_slack_that_stays_away_is_given_up_on(bell: Bell) -> None:
    await bell.refuse()
    for left in reversed(range(MAX_TRIES + 1)):
        bell.posts.errors = [TokenRefusedError("account_inactive")]
        await bell.tick()
        bell.clock.advance(3600)

        assert len(await bell.documents.due_keys(bell.clock())) == min(left, 1)


async def test_a_worker_that_died_is_followed_by_another(bell: Bell) -> None:
    await bell.refuse()
    await bell.claims.claim(ONE, lease=timedelta(seconds=60))
    await bell.tick()
    assert bell.posts.notified == []
    assert await bell.documents.due_keys(bell.clock()) == []

    bell.clock.advance(60)
    await bell.tick()

    assert len(bell.posts.notified) == 1


async def test_a_refusal_does_not_wait_for_a_reminder_that_could_not_be_sent(bell: Bell) -> None:
    bell.posts.errors = [TokenRefusedError("account_inactive")]
    await bell.at(14)
    await bell.refuse()

    await bell.tick()

    assert bell.said == ["refused"]


async def test_the_earlier_key_is_forgotten_by_the_clock(bell: Bell) -> None:
    await bell.keys.save(ONE, a_draft(NEW_KEY), set_by="U1")
    bell.clock.now += 7 * DAY

    await bell.tick()

    document = await bell.documents.get(f"{ONE}/key")
    assert document is not None
    assert document.value["earlier"] is None
    assert bell.posts.notified == []


async def test_a_mistake_of_ours_in_one_workspace_does_not_keep_the_others(bell: Bell) -> None:
    await bell.documents.put(f"{ONE}/key", {"v": 9}, due_at=bell.clock())
    await bell.keys.save(WorkspaceId("T2"), a_draft(), set_by="U2")
    await bell.keys.note_refused(WorkspaceId("T2"), await bell.keys.stored(WorkspaceId("T2")))

    await bell.tick(3)

    assert [user_id for user_id, _ in bell.posts.notified] == ["U2"]


async def test_a_refusal_that_cannot_be_told_now_fails_no_command(bell: Bell) -> None:
    key = await bell.keys.stored(ONE)
    await bell.refuse()
    bell.posts.errors = [StoreError("down")]

    await bell.notices(ONE, key)

    assert bell.posts.notified == []


async def claimed(bell: Bell) -> Claim:
    """Return what a worker has in hand that tells of a refusal."""
    await bell.refuse()
    claim = await bell.claims.claim(ONE, lease=timedelta(seconds=60))
    assert claim is not None
    return claim


async def test_what_was_told_of_the_old_key_says_nothing_of_the_new_one(bell: Bell) -> None:
    old = await claimed(bell)
    bell.clock.advance(1)
    await bell.keys.save(ONE, a_draft(NEW_KEY), set_by="U1")
    await bell.refuse()

    await bell.claims.settle(ONE, old, ("U1",), None)

    assert (await bell.keys.stored(ONE)).record.told_at is None


async def test_a_note_on_the_key_ends_no_claim(bell: Bell) -> None:
    await claimed(bell)

    await bell.keys.note_lacking(ONE, await bell.keys.stored(ONE), "add")

    assert await bell.claims.claim(ONE, lease=timedelta(seconds=60)) is None
    bell.clock.advance(60)
    assert await bell.claims.claim(ONE, lease=timedelta(seconds=60)) is not None


async def test_a_worker_that_is_late_does_not_end_the_next_step(bell: Bell) -> None:
    lease = timedelta(seconds=60)
    bell.clock.now = ENDS - 14 * DAY
    late = await bell.claims.claim(ONE, lease=lease)
    assert late is not None
    bell.clock.now = ENDS - 7 * DAY
    await bell.claims.claim(ONE, lease=lease)

    await bell.claims.settle(ONE, late, (), None)

    assert await bell.at(6.9) == ["expiry-7"]
