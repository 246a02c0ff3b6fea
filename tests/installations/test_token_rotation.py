"""Tokens that end: renewed in time, once, and never lost."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.concurrency import Tasks
from bot.installations.installation import Installation, Tokens
from bot.installations.token_rotation import LEASE, TokenProvider
from bot.slack.errors import (
    SlackRefusedError,
    SlackUnavailableError,
    SlackUnreachableError,
    TokenRefusedError,
)
from bot.store.documents import Document, StoreError
from tests.builders import MOMENT
from tests.fakes import TIME_LIMIT_S, FakeClock
from tests.installations.builders import ACME as ONE
from tests.installations.builders import (
    DAY,
    HOUR,
    LIFE,
    Gate,
    Renewals,
    a_memory,
    a_shelf,
    an_installation,
    kept,
)
from tests.loops import loop_over
from tests.memory import EventfulDocuments

pytestmark = pytest.mark.anyio

OLD, DEAD = HOUR, timedelta(seconds=20)
FIRST, RENEWED = "xoxb-first", "xoxe.xoxb-1"


class StoreWithFaults(EventfulDocuments):
    """Fails the next `faults` writes of new tokens."""

    faults = 0

    async def put(self, key: str, value: Mapping[str, Any], **how: Any) -> Document:
        if self.faults and "refreshing_until" not in value:
            self.faults -= 1
            raise StoreError("disk full")
        return await super().put(key, value, **how)


class Process:
    """One of the processes on a store, with what it remembers by itself."""

    def __init__(self, world: "World") -> None:
        self.world = world
        self.tasks = Tasks()
        recent = a_memory(world.documents, world.clock.seconds)
        self.tokens = TokenProvider(
            recent,
            world.slack.refresh,
            tasks=self.tasks,
            clock=world.clock,
            sleep=world.sleep,
        )

    async def fresh(self) -> str:
        """Return the token, once nothing is under way any more."""
        token = access(await self.tokens.fresh(ONE))
        assert await self.tasks.drain(TIME_LIMIT_S)
        return token


class World:
    """A store, a Slack, and time that passes where somebody waits."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.documents = StoreWithFaults()
        self.slack = Renewals(self.clock)
        self.one, self.other = Process(self), Process(self)

    async def sleep(self, seconds: float) -> None:
        self.clock.advance(seconds)
        await asyncio.sleep(0)

    async def install(self, left: timedelta | None, refresh: str | None = "xoxe-1-0") -> None:
        expires_at = self.clock.now + left if left else None
        await self.put(an_installation(ONE, FIRST, refresh=refresh, expires_at=expires_at))

    async def put(self, installation: Installation) -> None:
        await a_shelf(self.documents).put(installation)

    async def stored(self) -> str:
        return access((await kept(self.documents)).installation)

    async def lease(self, span: timedelta) -> None:
        """Let another process have begun to renew."""
        installation = (await kept(self.documents)).installation
        until = self.clock.now + span
        await a_shelf(self.documents).put(installation, refreshing_until=until)

    async def remove(self) -> None:
        await self.documents.delete_prefix(f"{ONE}/")


def access(installation: Installation) -> str:
    assert installation.tokens
    return installation.tokens.access


@pytest.fixture
def world() -> World:
    return World()


@loop_over(("left", "refresh"), [(None, "xoxe-1-0"), (OLD, None), (DEAD, None)])
async def test_a_token_that_never_ends_or_cannot_be_renewed_is_handed_out_as_it_is(
    left: timedelta | None, refresh: str | None
) -> None:
    world = World()
    await world.install(left, refresh)

    assert await world.one.fresh() == FIRST
    assert not world.slack.asked


async def test_a_token_with_two_hours_left_is_not_renewed(world: World) -> None:
    await world.install(timedelta(hours=2))

    await world.one.fresh()

    assert not world.slack.asked
    world.clock.advance(1)
    await world.one.fresh()
    assert world.slack.asked


async def test_a_request_with_a_token_for_hours_costs_no_read_of_the_store(world: World) -> None:
    await world.install(LIFE)
    await world.one.fresh()
    before = len(world.documents.read)

    await world.one.fresh()

    assert len(world.documents.read) == before


async def test_requests_while_a_token_is_renewed_cost_no_reads_each(world: World) -> None:
    gate = world.slack.before_answer = Gate()
    await world.install(OLD)
    await world.one.tokens.fresh(ONE)
    await gate.until_reached()
    before = len(world.documents.read)

    for _ in range(50):
        await world.one.tokens.fresh(ONE)
        await asyncio.sleep(0)

    assert len(world.documents.read) == before
    gate.open()
    assert await world.one.tasks.drain(TIME_LIMIT_S)


async def test_a_living_token_is_renewed_behind_the_request_and_again_in_its_turn(
    world: World,
) -> None:
    async def slowly() -> None:
        world.clock.advance(9)

    world.slack.before_answer = slowly
    await world.install(OLD)

    assert await world.one.fresh() == FIRST
    tokens = (await kept(world.documents)).installation.tokens
    assert tokens
    assert tokens.expires_at == MOMENT + LIFE  # counted from before the question
    assert await world.one.fresh() == RENEWED == await world.stored()
    world.clock.now = tokens.expires_at - OLD
    await world.one.fresh()
    assert world.slack.asked == ["xoxe-1-0", "xoxe-1-1"]
    assert await world.stored() == "xoxe.xoxb-2"


@pytest.mark.parametrize("left", [OLD, DEAD], ids=["lives", "has ended"])
async def test_many_askers_in_two_processes_renew_once(world: World, left: timedelta) -> None:
    await world.install(left)

    askers = [process.tokens.fresh(ONE) for process in (world.one, world.other) * 50]
    installations = await asyncio.gather(*askers)
    await world.one.tasks.drain(TIME_LIMIT_S)
    await world.other.tasks.drain(TIME_LIMIT_S)

    assert world.slack.asked == ["xoxe-1-0"]
    expected = {FIRST, RENEWED} if left == OLD else {RENEWED}
    assert {access(installation) for installation in installations} <= expected
    assert await world.stored() == RENEWED


async def test_a_lost_answer_leaves_the_token_that_lives_and_is_asked_for_again_later(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    await world.install(OLD)
    world.slack.error = SlackUnavailableError("TimeoutError")

    await world.one.fresh()
    assert await world.one.fresh() == FIRST
    assert len(world.slack.asked) == 1
    assert "a task failed" not in capsys.readouterr().out
    world.clock.now += LEASE
    await world.one.fresh()

    assert await world.stored() == "xoxe.xoxb-2"


async def test_a_refresh_token_that_was_spent_unseen_ends_nothing_before_its_time(
    world: World,
) -> None:
    await world.install(OLD)
    world.slack.error, world.slack.is_lost = SlackUnavailableError("TimeoutError"), True
    await world.one.fresh()
    world.clock.now += LEASE

    assert [await world.one.fresh() for _ in range(5)] == [FIRST] * 5
    assert len(world.slack.asked) == 2
    world.clock.now += OLD
    with pytest.raises(TokenRefusedError):
        await world.one.fresh()


async def test_a_refused_refresh_token_is_asked_about_every_five_minutes(world: World) -> None:
    await world.install(DEAD, refresh="xoxe-1-other")

    frames = []
    for _ in range(5):
        with pytest.raises(TokenRefusedError) as caught:
            await world.one.fresh()
        frames.append(len(caught.traceback))

    assert len(world.slack.asked) == 1
    assert len(set(frames[1:])) == 1  # no answer is raised twice
    for seconds, asked in ((299, 1), (1, 2)):
        world.clock.advance(seconds)
        with pytest.raises(TokenRefusedError):
            await world.one.fresh()
        assert len(world.slack.asked) == asked


async def test_a_wrong_secret_of_ours_is_no_removal_of_the_app(world: World) -> None:
    await world.install(DEAD)
    world.slack.error = SlackRefusedError("bad_client_secret")

    with pytest.raises(SlackRefusedError) as refusal:
        await world.one.fresh()

    assert not isinstance(refusal.value, TokenRefusedError)


async def test_a_crash_before_the_answer_is_saved_holds_the_others_up_for_the_lease_alone(
    world: World,
) -> None:
    await world.install(OLD)
    await world.lease(LEASE)

    assert await world.other.fresh() == FIRST
    assert not world.slack.asked
    world.clock.now += LEASE
    await world.other.fresh()

    assert await world.stored() == RENEWED


async def test_who_has_no_token_waits_for_the_winner_and_not_for_ever(world: World) -> None:
    await world.install(DEAD)
    await world.lease(LEASE)

    with pytest.raises(SlackUnreachableError):
        await world.other.fresh()

    assert timedelta(seconds=5) <= world.clock.now - MOMENT < LEASE


async def test_a_lease_from_a_clock_that_was_put_right_holds_up_no_request(world: World) -> None:
    await world.install(DEAD)
    await world.lease(timedelta(hours=5))

    assert await world.one.fresh() == RENEWED


async def test_a_stop_waits_for_the_renewal_of_a_dead_token(world: World) -> None:
    await world.install(DEAD)
    gate = world.slack.before_answer = Gate()
    asking = asyncio.create_task(world.one.tokens.fresh(ONE))
    await gate.until_reached()
    asking.cancel()  # who asked has 2 s

    assert not await world.one.tasks.drain(0.01)
    gate.open()
    assert await world.one.tasks.drain(TIME_LIMIT_S)
    assert await world.stored() == RENEWED


async def test_a_removal_while_slack_renews_is_not_undone(world: World) -> None:
    await world.install(DEAD)
    world.slack.before_answer = world.remove

    with pytest.raises(TokenRefusedError):
        await world.one.fresh()

    assert await a_shelf(world.documents).get(ONE) is None


async def test_a_renewal_does_not_put_off_the_daily_proof(world: World) -> None:
    await world.install(OLD)
    installation = (await kept(world.documents)).installation
    await a_shelf(world.documents).put(installation, check_at=MOMENT + DAY)

    await world.one.fresh()

    assert await world.stored() == RENEWED
    assert (await kept(world.documents)).check_at == MOMENT + DAY


async def test_an_installation_made_while_slack_renews_is_not_overwritten(world: World) -> None:
    await world.install(OLD)
    expires_at = world.clock.now + LIFE
    new = an_installation(ONE, "xoxb-new", refresh="xoxe-1-new", expires_at=expires_at)
    world.slack.before_answer = lambda: world.put(new)

    await world.one.fresh()

    assert await world.stored() == "xoxb-new" == await world.one.fresh()


async def test_another_change_while_slack_renews_does_not_lose_the_new_token(
    world: World,
) -> None:
    await world.install(OLD)

    async def rename() -> None:
        await world.put(replace((await kept(world.documents)).installation, name="Acme 2"))

    world.slack.before_answer = rename
    await world.one.fresh()

    assert await world.stored() == RENEWED
    assert (await kept(world.documents)).installation.name == "Acme 2"


async def test_no_token_is_told_to_the_log(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    await world.install(OLD, refresh="xoxe-1-other")
    await world.one.fresh()

    shown = capsys.readouterr().out + repr(await kept(world.documents)) + repr(world.slack)

    assert "invalid_refresh_token" in shown
    assert "xox" not in shown + repr(Tokens(access="xoxb-a", refresh="xoxe-1-a"))
