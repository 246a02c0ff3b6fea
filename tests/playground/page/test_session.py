"""Who sits where, and the address that says so."""

import pytest

from bot.playground.page.session import Session, from_query, people, role
from bot.playground.slack import LocalSlack

pytestmark = pytest.mark.anyio


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
