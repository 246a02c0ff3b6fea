"""Tokens that end after twelve hours, while people and digests go on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.concurrency import Tasks
from bot.installations.oauth_calls import OAuthCalls
from bot.installations.repository import InstallationRepository
from bot.installations.token_rotation import TokenProvider
from bot.playground.slack import LocalSlack
from bot.store.encryption import load_or_make_key_file
from bot.store.sqlite import open_sqlite
from bot.workspace import WorkspaceId
from tests.fakes import TIME_LIMIT_S
from tests.whole.digests import at_nine, make
from tests.whole.harness import running_bot
from tests.whole.many import Many, many_stand_ins, running_many

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


async def test_two_that_refresh_one_installation_spend_its_token_once(tmp_path: Path) -> None:
    """Each as in a process of its own: nothing but the store and Slack is shared."""
    async with many_stand_ins(tmp_path, ["amber"], rotates_tokens=True) as many:
        async with running_bot(many["amber"]):
            await many.install("amber")
        async with two_sides(many) as (home, sides):
            await sides[0].fresh(home)
            many.clock.ahead += NEARLY_OVER

            both = await asyncio.gather(*(side.fresh(home) for side in sides * 20))

        assert len(both) == 40
        assert len(spent(many.slack)) == 1


@asynccontextmanager
async def two_sides(many: Many) -> AsyncIterator[tuple[WorkspaceId, list[TokenProvider]]]:
    path = many.settings.database_path
    ring, _ = load_or_make_key_file(path.with_name(f"{path.name}.key"))
    documents, tasks = await open_sqlite(path), [Tasks(), Tasks()]
    async with aiohttp.ClientSession() as first, aiohttp.ClientSession() as second:
        sides = [
            TokenProvider(
                InstallationRepository(documents, ring),
                oauth(many, http).refresh,
                tasks=own,
                clock=many.clock,
            )
            for http, own in zip((first, second), tasks, strict=True)
        ]
        yield WorkspaceId(many["amber"].slack.team_id), sides
        for own in tasks:
            assert await own.drain(TIME_LIMIT_S)
        await documents.close()


def oauth(many: Many, http: aiohttp.ClientSession) -> OAuthCalls:
    client = AsyncWebClient(base_url=many.slack.api_url, session=http, retry_handlers=[])
    client_id, secret = many.slack.client_id, many.slack.client_secret
    return OAuthCalls(client, client_id=client_id, client_secret=secret, clock=many.clock)
