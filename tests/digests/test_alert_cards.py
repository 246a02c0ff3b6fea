"""Cards of alerts that Slack does not take, or whose process is killed in the middle."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.digests.alert_cards import AlertCards
from bot.digests.models import Mode, UnknownAlertError
from bot.digests.repository import ALERT
from bot.slack.errors import (
    ChannelClosedError,
    SlackRateLimitedError,
    SlackRefusedError,
    SlackUnavailableError,
)
from tests.builders import a_domain
from tests.digests.office import ACME, Office
from tests.digests.test_alerts import ALL_DAY, LOOK

pytestmark = pytest.mark.anyio


@pytest.fixture
async def office() -> Office:
    """Return an office with an alert that has looked once, and posted a fall."""
    office = Office()
    await office.make(schedule=ALL_DAY, mode=Mode.WORSE)
    await sees(office, 90)
    await sees(office, 30)
    assert len(office.posts.posts) == 1
    return office


async def sees(office: Office, score: float) -> None:
    """Let the domain have that score at the next look; no card is drawn."""
    office.lists.domains = (a_domain("a.example", score),)
    await office.at(office.clock() + LOOK)


async def later(office: Office, minutes: float = 0) -> None:
    """Draw what is due then."""
    office.clock.now += timedelta(minutes=minutes)
    await office.cards.run_due()


async def alerts(office: Office) -> list[str]:
    return await office.documents.list_keys(f"{ACME}/{ALERT}/")


@pytest.mark.parametrize("moment", ["before the edit", "after the edit", "after the line"])
async def test_a_kill_leaves_no_card_behind_and_doubles_at_most_a_line(
    office: Office, moment: str
) -> None:
    await sees(office, 91)
    reached = asyncio.Event()

    def hang(work: Callable[..., Awaitable[object]], *, is_late: bool) -> Callable[..., object]:
        async def stopped(*parts: object, **how: object) -> object:
            if is_late:
                await work(*parts, **how)
            reached.set()
            return await asyncio.Event().wait()

        return stopped

    name = "post" if moment == "after the line" else "edit_dm"
    whole = getattr(office.posts, name)
    setattr(office.posts, name, hang(whole, is_late=moment != "before the edit"))
    dying = asyncio.create_task(office.cards.run_due())
    await reached.wait()
    dying.cancel()
    setattr(office.posts, name, whole)
    office.cards = AlertCards(office.repository, office.posts, clock=office.clock)
    await later(office)
    early = len(office.posts.lines)
    await later(office, 1)

    ends = [text for _, text in office.posts.edited]
    assert early == (moment == "after the line")
    assert ends
    assert all(text.startswith("Recovered: a.example 30 to 91") for text in ends)
    assert len(office.posts.lines) == 1 + (moment == "after the line")
    assert await alerts(office) == []


@pytest.mark.parametrize(
    ("error", "minutes"), [(SlackRateLimitedError(30), 1), (ChannelClosedError("is_archived"), 61)]
)
async def test_what_slack_does_not_take_now_is_drawn_later(
    office: Office, error: Exception, minutes: float
) -> None:
    await sees(office, 91)
    office.posts.errors = [error]
    await later(office)
    failed = list(office.posts.edited)
    await later(office, minutes)

    assert failed == []
    assert len(office.posts.edited) == len(office.posts.lines) == 1
    assert await alerts(office) == []


async def test_a_card_that_was_deleted_in_slack_is_forgotten(office: Office) -> None:
    await sees(office, 20)
    office.posts.errors = [SlackRefusedError("message_not_found")]
    await later(office)
    office.posts.posts.clear()
    await sees(office, 10)

    assert [text[:9] for _, text in office.posts.posts] == ["a.example"]


async def test_the_end_of_an_alert_that_slack_may_not_have_posted_is_a_post() -> None:
    office = Office()
    await office.make(schedule=ALL_DAY, mode=Mode.WORSE)
    await sees(office, 90)
    office.posts.errors = [SlackUnavailableError("lost")]
    await sees(office, 30)
    await later(office)
    await sees(office, 91)
    await later(office)

    assert [text[:28] for _, text in office.posts.posts] == ["Recovered: a.example 30 to 9"]
    assert (office.posts.edited, await alerts(office)) == ([], [])


async def test_a_fall_whose_process_was_killed_before_the_post_is_posted_once() -> None:
    office = Office()
    await office.make(schedule=ALL_DAY, mode=Mode.WORSE)
    await sees(office, 90)
    dead = f"{(await office.digest()).digest_id}/dead"
    await sees(office, 30)
    [key] = await alerts(office)
    posted = await office.repository.alert(ACME, key.split("/", 2)[2])
    alert = replace(posted, ts="")
    # What a process leaves that dies just before it begins to post.
    await office.repository.keep_alert(ACME, dead, alert)
    await sees(office, 91)
    await later(office)

    assert len(office.posts.posts) == len(office.posts.lines) == 1
    with pytest.raises(UnknownAlertError):
        await office.repository.alert(ACME, dead)
