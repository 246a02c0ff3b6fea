"""Who sits where, and names and times as one reader sees them."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.playground.page.session import (
    Session,
    SlackNames,
    clock_words,
    day_words,
    from_query,
    people,
    role,
)
from bot.playground.slack import LocalSlack

pytestmark = pytest.mark.anyio

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("days_ago", "words"),
    [
        (0, "Today"),
        (1, "Yesterday"),
        (2, "Wednesday, November 18"),
        (365, "Thursday, November 20, 2025"),
        (-1, "Saturday, November 21"),
    ],
)
def test_a_day_is_named_as_slack_names_it(days_ago: int, words: str) -> None:
    assert day_words(NOON - timedelta(days=days_ago), NOON) == words


@pytest.mark.parametrize(
    ("hour", "words"), [(0, "12:05 AM"), (9, "9:05 AM"), (12, "12:05 PM"), (23, "11:05 PM")]
)
def test_a_time_of_day_is_shown_in_twelve_hours(hour: int, words: str) -> None:
    assert clock_words(NOON.replace(hour=hour, minute=5)) == words


async def test_a_private_channel_has_no_name_for_others(slack: LocalSlack) -> None:
    secret = slack.channel("secret")

    names = [SlackNames(Session(slack, who), "App").channel(secret.id) for who in ("bob", "cy")]

    assert names == ["secret", None]


async def test_people_the_app_and_slackbot_have_names_and_nobody_else(slack: LocalSlack) -> None:
    names = SlackNames(Session(slack, "bob"), "The app")

    ids = (slack.person("cy").id, slack.bot_user_id, "USLACKBOT", "U0NOBODY")

    assert [names.user(user_id) for user_id in ids] == ["cy", "The app", "Slackbot", None]


async def test_the_address_leads_to_the_same_seat(slack: LocalSlack) -> None:
    session = Session(slack, "bob", "secret", is_dark=True)

    assert session.address == "/?as=bob&channel=secret&dark=1"
    query = dict(part.split("=") for part in session.address[2:].split("&"))
    assert from_query(slack, query).address == session.address.removesuffix("&dark=1")


async def test_everybody_but_the_bot_can_be_chosen(slack: LocalSlack) -> None:
    roles = {member.name: role(member) for member in people(slack)}

    assert roles == {
        "ada": "admin",
        "olga": "owner",
        "bob": "member",
        "cy": "member",
        "gus": "guest",
        "zoe": "another workspace",
    }
