"""Cards of alerts that Slack does not take, or whose process is killed in the middle."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.digests import alert_life as life
from bot.digests.alert_card import AlertCard
from bot.digests.alert_cards import AlertCards
from bot.digests.models import Mode, Reminder, Snooze, UnknownAlertError
from bot.digests.repository import ALERT
from bot.slack.errors import (
    ChannelClosedError,
    SlackRateLimitedError,
    SlackRefusedError,
    SlackUnavailableError,
)
from tests.builders import a_domain
from tests.digests.builders import ACME, BOB, Bot
from tests.digests.test_worker_alerts import ALL_DAY, LOOK


@pytest.fixture
async def bot() -> Bot:
    """Return an bot with an alert that has looked once, and posted a fall."""
    bot = Bot()
    await bot.make(schedule=ALL_DAY, mode=Mode.WORSE)
    await sees(bot, 90)
    await sees(bot, 30)
    assert len(bot.posts.posts) == 1
    return bot


async def sees(bot: Bot, score: float) -> None:
    """Let the domain have that score at the next look; no card is drawn."""
    bot.lists.domains = (a_domain("a.example", score),)
    await bot.at(bot.clock() + LOOK)


async def later(bot: Bot, minutes: float = 0) -> None:
    """Draw what is due then."""
    bot.clock.now += timedelta(minutes=minutes)
    await bot.cards.run_due()


async def alerts(bot: Bot) -> list[str]:
    return await bot.documents.list_keys(f"{ACME}/{ALERT}/")


@pytest.mark.parametrize("moment", ["before the edit", "after the edit", "after the line"])
async def test_a_kill_leaves_no_card_behind_and_doubles_at_most_a_line(
    bot: Bot, moment: str
) -> None:
    await sees(bot, 91)
    reached = asyncio.Event()

    def hang(work: Callable[..., Awaitable[object]], *, is_late: bool) -> Callable[..., object]:
        async def stopped(*parts: object, **how: object) -> object:
            if is_late:
                await work(*parts, **how)
            reached.set()
            return await asyncio.Event().wait()

        return stopped

    name = "post" if moment == "after the line" else "edit"
    whole = getattr(bot.posts, name)
    setattr(bot.posts, name, hang(whole, is_late=moment != "before the edit"))
    dying = asyncio.create_task(bot.cards.run_due())
    await reached.wait()
    dying.cancel()
    setattr(bot.posts, name, whole)
    bot.cards = AlertCards(bot.repository, bot.posts, clock=bot.clock)
    await later(bot)
    early = len(bot.posts.lines)
    await later(bot, 1)

    ends = [text for _, text in bot.posts.edited]
    assert early == (moment == "after the line")
    assert ends
    assert all(text.startswith("Recovered: a.example 30 to 91") for text in ends)
    assert len(bot.posts.lines) == 1 + (moment == "after the line")
    assert await alerts(bot) == []


@pytest.mark.parametrize("act", ["delete", "pause"])
async def test_a_kill_while_an_alert_ends_or_pauses_lets_its_cards_be_drawn(
    bot: Bot, act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "delete" if act == "delete" else "change"
    whole, killed = getattr(bot.repository, name), asyncio.Event()

    async def saved_and_killed(*parts: object, **how: object) -> None:
        await whole(*parts, **how)
        killed.set()
        await asyncio.Event().wait()

    how = {"by": BOB} if act == "delete" else {"by": BOB, "until": None}
    with monkeypatch.context() as patched:
        patched.setattr(bot.repository, name, saved_and_killed)
        work = getattr(bot.service, act)(ACME, (await bot.digest()).digest_id, **how)
        dying = asyncio.create_task(work)
        await killed.wait()
    await later(bot, 2)

    assert len(bot.posts.edited) == 1
    dying.cancel()


@pytest.mark.parametrize(
    ("error", "minutes"), [(SlackRateLimitedError(30), 1), (ChannelClosedError("is_archived"), 61)]
)
async def test_what_slack_does_not_take_now_is_drawn_later(
    bot: Bot, error: Exception, minutes: float
) -> None:
    await sees(bot, 91)
    bot.posts.errors = [error]
    await later(bot)
    failed = list(bot.posts.edited)
    await later(bot, minutes)

    assert failed == []
    assert len(bot.posts.edited) == len(bot.posts.lines) == 1
    assert await alerts(bot) == []


async def test_a_card_that_was_deleted_in_slack_is_forgotten(bot: Bot) -> None:
    await sees(bot, 20)
    bot.posts.errors = [SlackRefusedError("message_not_found")]
    await later(bot)
    bot.posts.posts.clear()
    await sees(bot, 10)

    assert [text[:9] for _, text in bot.posts.posts] == ["a.example"]


REMINDER = Reminder(after=60, people=("U0CY",), group=("S0ONCALL", "@on-call"))
REMINDED = (
    "<@U0CY> <!subteam^S0ONCALL>: a.example fell to 30. No one is on it after 1 hour."
    " To take it, press I'm on it."
)


async def reminding(**plan: object) -> tuple[Bot, str]:
    """Return a bot with a fallen alert that reminds after an hour, and the name of its card."""
    bot = Bot()
    await bot.make(schedule=ALL_DAY, mode=Mode.WORSE, reminder=REMINDER, **plan)
    await sees(bot, 90)
    await sees(bot, 30)
    [key] = await alerts(bot)
    return bot, key.split("/", 2)[2]


async def test_a_card_that_no_one_takes_mentions_people_once() -> None:
    bot, _ = await reminding()
    await later(bot, 59)
    early = list(bot.posts.lines)
    bot.posts.errors = [SlackRateLimitedError(30)]
    await later(bot, 2)
    refused = list(bot.posts.lines)
    bot.posts.lines.clear()
    bot.cards = AlertCards(bot.repository, bot.posts, clock=bot.clock)
    for _ in range(3):
        await later(bot, 90)

    assert early == []
    assert refused == bot.posts.lines == [REMINDED]


@pytest.mark.parametrize(
    "seen_to", ["taken", "let go", "snoozed", "all snoozed", "off", "deleted"]
)
async def test_a_card_that_was_seen_to_mentions_no_one(seen_to: str) -> None:
    bot, name = await reminding()
    now, digest = bot.clock(), await bot.digest()
    changes: dict[str, Callable[[AlertCard], AlertCard]] = {
        "taken": lambda each: life.take(each, "U0BOB", now, takes_over=False),
        "let go": lambda each: life.let_go(changes["taken"](each), "U0BOB"),
        "snoozed": lambda each: life.snoozed(each, Snooze(by="U0BOB", until=now + LOOK)),
    }
    if change := changes.get(seen_to):
        await bot.repository.change_card(ACME, name, change)
    elif seen_to == "all snoozed":
        snooze = Snooze(by="U0BOB", until=now + timedelta(days=1))
        await bot.service.snooze(ACME, digest.digest_id, snooze)
    elif seen_to == "off":
        plan = replace(digest.plan, reminder=None)
        await bot.service.change(ACME, digest.digest_id, plan, by=BOB, version=digest.version)
    else:
        await bot.repository.delete(ACME, digest.digest_id)
    for _ in range(3):
        await later(bot, 61)

    assert "No one is on it" not in str(bot.posts.lines)


async def test_a_card_that_recovered_in_time_mentions_no_one() -> None:
    bot, _ = await reminding()
    await sees(bot, 91)
    await later(bot, 61)

    assert "No one is on it" not in str(bot.posts.lines)


async def test_the_end_of_an_alert_that_slack_may_not_have_posted_is_a_post() -> None:
    bot = Bot()
    await bot.make(schedule=ALL_DAY, mode=Mode.WORSE)
    await sees(bot, 90)
    bot.posts.errors = [SlackUnavailableError("lost")]
    await sees(bot, 30)
    await later(bot)
    await sees(bot, 91)
    await later(bot)

    assert [text[:28] for _, text in bot.posts.posts] == ["Recovered: a.example 30 to 9"]
    assert (bot.posts.edited, await alerts(bot)) == ([], [])


async def test_a_fall_whose_process_was_killed_before_the_post_is_posted_once() -> None:
    bot = Bot()
    await bot.make(schedule=ALL_DAY, mode=Mode.WORSE)
    await sees(bot, 90)
    dead = f"{(await bot.digest()).digest_id}/dead"
    await sees(bot, 30)
    [key] = await alerts(bot)
    posted = await bot.repository.card(ACME, key.split("/", 2)[2])
    alert = replace(posted, ts="")
    # What a process leaves that dies just before it begins to post.
    await bot.repository.keep_card(ACME, dead, alert)
    await sees(bot, 91)
    await later(bot)

    assert len(bot.posts.posts) == len(bot.posts.lines) == 1
    with pytest.raises(UnknownAlertError):
        await bot.repository.card(ACME, dead)
