"""Installing the app: Slack's page, the way back, and the exchange of the code."""

import contextlib
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from bot.playground.slack import InstallRefused, LocalSlack
from tests.playground.slack.conftest import Clock
from tests.playground.slack.installer import Installer

Json = dict[str, Any]


@pytest.fixture
def acme(slack: LocalSlack) -> LocalSlack:
    """A workspace that does not have the app yet."""
    return slack.add_workspace("Acme")


def query_of(url: str) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(url).query).items()}


async def code_for(slack: LocalSlack, installer: Installer, **changes: str) -> str:
    """Return the code that bob's consent gives."""
    browser = slack.person("bob").browser()
    return query_of(await browser.approve(installer.authorize_url(**changes)))["code"]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"client_id": "1.2"}, "invalid_client_id"),
        ({"client_id": ""}, "invalid_client_id"),
        ({"scope": ""}, "no_scopes"),
        ({"scope": "commands,admin"}, "invalid_scope"),
        ({"user_scope": "search:read"}, "invalid_scope"),
        ({"redirect_uri": "https://elsewhere.example/callback"}, "bad_redirect_uri"),
    ],
)
async def test_a_wrong_request_is_explained(
    slack: LocalSlack, installer: Installer, changes: dict[str, str], error: str
) -> None:
    with pytest.raises(InstallRefused, match=error) as refused:
        await slack.person("bob").browser().approve(installer.authorize_url(**changes))

    assert refused.value.page.status == 400


@pytest.mark.parametrize(
    ("configured", "wanted", "is_taken"),
    [
        ("https://bot.example", "https://bot.example", True),
        ("https://bot.example", "https://bot.example/slack/callback", True),
        ("https://bot.example/slack", "https://bot.example/slack/callback?x=1", True),
        ("https://bot.example/slack", "https://bot.example/slackers", False),
        ("https://bot.example/slack", "https://bot.example/", False),
        ("https://bot.example", "https://www.bot.example", False),
        ("https://bot.example", "https://bot.example:8443", False),
        ("https://bot.example", "http://bot.example", False),
        ("https://bot.example", "https://bot.example/#part", False),
        ("http://bot.example", "http://bot.example", False),
        ("http://localhost:3000", "http://localhost:3000/callback", True),
        ("https://bot.example", "", True),
        ("https://bot.example https://other.example", "", False),
    ],
)
async def test_only_configured_addresses_are_taken(
    slack: LocalSlack, installer: Installer, configured: str, wanted: str, is_taken: bool
) -> None:
    slack.app.settings.redirect_urls = configured.split()

    browser = slack.person("bob").browser()
    refused = contextlib.nullcontext() if is_taken else pytest.raises(InstallRefused, match="bad_")
    with refused:
        await browser.approve(installer.authorize_url(redirect_uri=wanted))


@pytest.mark.parametrize("name", ["gus", "zoe"])
async def test_guests_install_nothing(acme: LocalSlack, installer: Installer, name: str) -> None:
    page = await acme.person(name).install(installer.start_url)

    assert (page.status, "not_allowed_to_install" in page.text) == (403, True)
    assert not acme.is_installed


async def test_a_code_works_once(slack: LocalSlack, installer: Installer, clock: Clock) -> None:
    back = f"{installer.url}/callback"
    in_time, late = [await code_for(slack, installer) for _ in range(2)]

    clock.now += 600
    answers = [await installer.exchange(code=in_time, redirect_uri=back) for _ in range(2)]
    clock.now += 1
    answers.append(await installer.exchange(code=late, redirect_uri=back))

    errors = [each.get("error") for each in answers]
    assert errors == [None, "code_already_used", "invalid_code"]


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"code": "nonsense"}, "invalid_code"),
        ({"redirect_uri": ""}, "bad_redirect_uri"),
        ({"redirect_uri": "https://bot.example/other"}, "bad_redirect_uri"),
        ({"client_id": "1.2"}, "invalid_client_id"),
        ({"client_secret": "wrong"}, "bad_client_secret"),
        ({"grant_type": "password"}, "invalid_grant_type"),
    ],
    ids=str,
)
async def test_a_refused_exchange_keeps_the_code(
    slack: LocalSlack, installer: Installer, fields: dict[str, str], error: str
) -> None:
    right = {
        "code": await code_for(slack, installer),
        "redirect_uri": f"{installer.url}/callback",
    }

    refused = await installer.exchange(**(right | fields))

    assert refused == {"ok": False, "error": error}
    assert (await installer.exchange(**right))["ok"]
