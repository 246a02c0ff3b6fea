"""Tokens that expire: https://docs.slack.dev/authentication/using-token-rotation."""

from typing import Any

import pytest

from bot.playground.slack import LocalSlack
from tests.playground.slack.conftest import Api, Clock
from tests.playground.slack.installer import Installer

pytestmark = pytest.mark.anyio
Json = dict[str, Any]

HALF_A_DAY_S = 12 * 60 * 60


@pytest.fixture
async def first(slack: LocalSlack, installer: Installer) -> Json:
    """What installing the app gave in a workspace whose tokens rotate."""
    slack.app.settings.rotates_tokens = True
    await slack.add_workspace("Acme").person("bob").install(installer.start_url)
    return installer.answers[0]


async def refreshed(installer: Installer, before: Json) -> Json:
    return await installer.exchange(
        grant_type="refresh_token", refresh_token=before["refresh_token"]
    )


async def errors_of(api: Api, *given: Json) -> list[str | None]:
    answers = [await api("auth.test", token=each["access_token"]) for each in given]
    return [answer.get("error") for answer in answers]


async def test_an_access_token_lives_for_twelve_hours(first: Json, api: Api, clock: Clock) -> None:
    clock.now += HALF_A_DAY_S - 1
    assert await errors_of(api, first) == [None]

    clock.now += 1
    assert await errors_of(api, first) == ["token_expired"]


async def test_a_refresh_token_is_good_once(first: Json, installer: Installer) -> None:
    await refreshed(installer, first)

    again = await refreshed(installer, first)

    assert again == {"ok": False, "error": "invalid_refresh_token"}


async def test_two_access_tokens_live_at_a_time(
    first: Json, installer: Installer, api: Api
) -> None:
    second = await refreshed(installer, first)
    third = await refreshed(installer, second)

    assert await errors_of(api, first, second, third) == ["token_revoked", None, None]
