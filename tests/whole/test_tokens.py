"""Tokens that end after twelve hours, while people and digests go on."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.playground.slack import LocalSlack
from tests.whole.digests import at_nine, make
from tests.whole.many import running_many

pytestmark = pytest.mark.anyio

OAUTH = "oauth.v2.access"
NEARLY_OVER, OVER = timedelta(hours=10, minutes=30), timedelta(hours=13)


def spent(slack: LocalSlack) -> list[str]:
    """Return the refresh tokens that were spent, and assert that Slack took each of them."""
    refreshes = [
        call for call in slack.calls if call.arguments.get("grant_type") == "refresh_token"
    ]
    assert all(call.answer.get("ok") for call in refreshes), refreshes
    return [call.arguments["refresh_token"] for call in refreshes]


@pytest.mark.transports("http")
async def test_tokens_rotate_while_commands_and_digests_run(
    tmp_path: Path, transport: str
) -> None:
    async with running_many(tmp_path, ["amber"], rotates_tokens=True, transport=transport) as many:
        amber = await many.settle("amber")
        await make(amber)

        for ahead in (NEARLY_OVER, OVER, NEARLY_OVER):
            await at_nine(amber)
            many.clock.ahead += ahead
            people = [amber.slack.person(name) for name in ("ada", "olga", "bob", "cy")]
            for person in people:
                await person.type("/domains")
            for person in people:
                answer = await person.next_message(where=lambda message: message.is_ephemeral)
                assert "shop.amber.example" in answer.everything

        tokens = spent(many.slack)
        assert len(tokens) >= 4
        assert len(tokens) == len(set(tokens))


async def test_the_token_of_a_new_installation_is_used_at_once(tmp_path: Path) -> None:
    async with running_many(tmp_path, ["amber"], rotates_tokens=True) as many:
        amber = await many.settle("amber")
        await many.install("amber", by="bob")
        given = [call.answer["access_token"] for call in many.slack.calls if call.method == OAUTH]

        await amber.ask(amber.bob, "/domains")

        looks = [call for call in many.slack.calls if call.method == "users.info"]
        assert looks[-1].token == given[-1]
