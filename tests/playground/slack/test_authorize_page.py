"""Installing the app: Slack's page, the way back, and the exchange of the code."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from bot.playground.slack import LocalSlack
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
