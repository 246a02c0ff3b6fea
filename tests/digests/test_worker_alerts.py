"""Digests that are posted as soon as something gets worse: looks, alerts and what they compare."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

import pytest

from bot.digests.alert_life import KEPT_FOR
from bot.digests.models import Mode, Outcome, Snooze, UnknownAlertError
from bot.digests.repository import ALERT
from bot.digests.schedule import Schedule, grace, next_slot, next_slots
from bot.slack.errors import SlackUnavailableError
from bot.tracker.models import Domain, UnavailableError
from bot.tracker.rate_limit import Purpose
from tests.builders import a_domain
from tests.digests.builders import ACME, DAY, EVE, Bot

LOOK = timedelta(minutes=15)
ALL_DAY = Schedule(frozenset(range(7)), time(9), "Europe/Berlin", every=15)
DOWN = UnavailableError("down", is_outcome_unknown=False)


class Watch:
    """A digest that looks every quarter of an hour, and has looked once."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot

    async def sees(self, *domains: Domain) -> list[str]:
        """Let the list be that at the next look; return what is posted, also in threads."""
        posts = self.bot.posts
        self.bot.lists.domains = domains
        posts.posts.clear()
        posts.lines.clear()
        await self.bot.at(self.bot.clock() + LOOK)
        await self.bot.cards.run_due()
        told = [text for _, text in posts.posts] + posts.lines
        return ["recovered" if "ecovered" in text else f"alert: {_host(text)}" for text in told]


def _host(text: str) -> str:
    return text.partition(" ")[0].removesuffix(":")


@pytest.fixture
async def watch(bot: Bot) -> Watch:
    await bot.make(schedule=ALL_DAY, mode=Mode.WORSE, heartbeat_every=3)
    watch = Watch(bot)
    assert await watch.sees(a_domain("a.example", 85), a_domain("b.example", 97)) == []
    return watch


def test_looks_come_at_the_same_moments_in_every_zone_and_on_the_chosen_days() -> None:
    friday = replace(ALL_DAY, days=frozenset({4}), zone="Asia/Kathmandu", every=30)
    thursday = datetime(2026, 11, 19, 18, 20, tzinfo=UTC)  # Friday, 00:05 in Kathmandu

    slots = next_slots(ALL_DAY, EVE, 3)
    first = next_slot(friday, thursday)

    assert [slot.due_at - EVE for slot in slots] == [LOOK, 2 * LOOK, 3 * LOOK]
    assert (first.due_at - thursday, f"{first.local:%a %H:%M}") == (
        timedelta(minutes=10),
        "Fri 00:15",
    )
    assert grace(ALL_DAY, slots[0]) == LOOK / 2


async def test_only_a_fall_is_posted_and_only_once(watch: Watch) -> None:
    b = a_domain("b.example", 97)
    little = await watch.sees(a_domain("a.example", 82), b)
    fallen = await watch.sees(a_domain("a.example", 79), b)
    same = await watch.sees(a_domain("a.example", 79), b)
    risen = await watch.sees(a_domain("a.example", 90), b)
    again = await watch.sees(a_domain("a.example", 79), b)

    assert (little, same, risen) == ([], [], ["recovered"])
    assert fallen == again == ["alert: a.example"]


async def test_a_wavering_score_is_posted_once_it_settles(watch: Watch) -> None:
    b = a_domain("b.example", 97)

    async def seen(*scores: float) -> list[str]:
        """Return `a` for a fall, `r` for the end of an alert, and `-` for nothing."""
        told = [await watch.sees(a_domain("a.example", score), b) for score in scores]
        return ["".join(text[0] for text in texts) or "-" for texts in told]

    assert await seen(80, 79, 80, 79, 80, 79, 80) == ["a", *"------"]
    assert await seen(79, 79) == ["-", "a"]
    assert await seen(80, 79, 80, 79, 79) == [*"-----"]
    assert await seen(80, 80) == ["-", "r"]
    assert await seen(79, 79) == ["-", "a"]
    assert await seen(90, 79) == ["r", "a"]  # both moves are far enough


async def test_an_empty_list_hides_no_fall(watch: Watch) -> None:
    b = a_domain("b.example", 97)
    assert await watch.sees() == await watch.sees() == []

    assert await watch.sees(a_domain("a.example", 60), b) == ["alert: a.example"]
    assert await watch.sees() == []
    assert await watch.sees(a_domain("a.example", 60), b) == []


async def test_a_quiet_day_costs_one_request_per_check(watch: Watch) -> None:
    bot = watch.bot
    bot.lists.purposes.clear()
    before = await bot.digest()
    for _ in range(8):
        await watch.sees(*bot.lists.domains)
    digest = await bot.digest()

    assert bot.lists.purposes == [Purpose.SCHEDULED] * 8
    assert [run.outcome for run in digest.past] == [Outcome.QUIET]
    assert digest.packed_baseline == before.packed_baseline
    assert digest.silent_runs == 9  # and no sign of life


async def test_a_snoozed_alert_is_not_posted_again_until_it_ends(watch: Watch) -> None:
    bot, b = watch.bot, a_domain("b.example", 97)
    await watch.sees(a_domain("a.example", 70), b)
    [key] = await bot.documents.list_keys(f"{ACME}/{ALERT}/")
    name = key.partition(f"/{ALERT}/")[2]
    until = bot.clock() + 7 * DAY
    await bot.repository.change_card(
        ACME, name, lambda each: replace(each, snooze=Snooze(by="U0ADA", until=until))
    )

    further = await watch.sees(a_domain("a.example", 50), b)
    other = await watch.sees(a_domain("a.example", 50), a_domain("b.example", 60))
    bot.clock.now = until
    later = await watch.sees(a_domain("a.example", 50), a_domain("b.example", 60))

    assert further == []
    assert other == ["alert: b.example"]
    assert later == ["alert: a.example"]


async def test_an_outage_is_reported_once_and_falls_follow_it(watch: Watch) -> None:
    bot = watch.bot
    bot.lists.error = DOWN
    for _ in range(12):
        await bot.at(bot.clock() + LOOK / 3)
    bot.lists.error = None
    posted = await watch.sees(a_domain("a.example", 70), a_domain("b.example", 97))

    assert bot.posts.notified == [("U0BOB", "failed service x1")]
    assert posted == ["alert: a.example"]


@pytest.mark.parametrize("how", ["no answer", "killed"])
async def test_a_post_that_may_be_there_is_not_posted_twice(watch: Watch, how: str) -> None:
    bot = watch.bot
    domains = (a_domain("a.example", 70), a_domain("b.example", 97))
    bot.lists.domains = domains
    if how == "killed":
        await bot.dies_posting_at(bot.clock() + LOOK)
    else:
        bot.posts.errors = [SlackUnavailableError("lost")]
        await watch.sees(*domains)

    later = [await watch.sees(*domains), await watch.sees(*domains)]
    again = await watch.sees(a_domain("a.example", 50), a_domain("b.example", 97))

    assert later == [[], []]
    assert again == ["alert: a.example"]


async def test_a_fall_is_watched_for_thirty_days(watch: Watch) -> None:
    bot = watch.bot
    await watch.sees(a_domain("a.example", 70), a_domain("b.example", 97))
    bot.clock.now += KEPT_FOR
    await bot.cards.run_due()
    again = await watch.sees(a_domain("a.example", 50), a_domain("b.example", 97))

    assert "Not recovered within 30 days" in bot.posts.edited[-1][1]
    assert again == ["alert: a.example"]
    assert len(bot.posts.posts) == 1


async def test_the_alerts_of_a_digest_go_with_it(watch: Watch) -> None:
    bot = watch.bot
    await watch.sees(a_domain("a.example", 70), a_domain("b.example", 97))
    digest_id = (await bot.digest()).digest_id
    await bot.service.delete(ACME, digest_id)
    await bot.cards.run_due()

    assert "was deleted" in bot.posts.edited[-1][1]
    assert await bot.documents.list_keys(f"{ACME}/") == []
    with pytest.raises(UnknownAlertError):
        await bot.repository.card(ACME, f"{digest_id}/t")
