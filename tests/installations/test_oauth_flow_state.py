"""The state of an installation that was begun: ours and young.

What Slack gives for a code, and every way in which it does not.
An installation in the place of the one before.
"""

import random
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import aiohttp
import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_sdk.web.async_client import AsyncWebClient

from bot.installations.installation import Installation
from bot.installations.oauth_flow import (
    ABOUT,
    LIVES_FOR,
    InstallationStore,
    InstallStates,
    NewInstallation,
    exchange_code,
)
from bot.installations.repository import CHECKED_EVERY, InstallationRepository
from bot.process.workspace import WorkspaceId
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from bot.store.documents import Documents
from bot.store.encryption import KeyRing
from tests.builders import MOMENT
from tests.fakes import FakeClock
from tests.installations.builders import ACME as ONE
from tests.installations.builders import (
    RING,
    a_memory,
    a_repository,
    a_revoked_installation,
    an_installation,
    kept,
)
from tests.installations.slack_stub import (
    ANSWER,
    CLIENT_ID,
    CLIENT_SECRET,
    CODE,
    SlackStub,
    running_slack_stub,
)
from tests.loops import loop_over
from tests.memory import EventfulDocuments, MemoryDocuments


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def states(clock: FakeClock) -> InstallStates:
    return InstallStates(RING, clock=clock)


async def test_another_process_accepts_the_state(states: InstallStates, clock: FakeClock) -> None:
    assert await states.async_consume(await InstallStates(RING, clock=clock).async_issue())


async def test_a_state_is_good_for_ten_minutes(states: InstallStates, clock: FakeClock) -> None:
    young, old = await states.async_issue(), await states.async_issue()
    clock.advance(LIVES_FOR.total_seconds() - 1)
    assert await states.async_consume(young)

    clock.advance(1)

    assert not await states.async_consume(old)


async def test_a_state_of_another_ring_is_none(states: InstallStates) -> None:
    other = KeyRing({"k1": b"2" * 32})

    assert not await states.async_consume(other.encrypt("2999-01-01T00:00:00+00:00", ABOUT))


@given(st.text(), st.randoms(use_true_random=False))
def test_nothing_else_is_ever_taken_for_a_state(noise: str, chance: random.Random) -> None:
    async def try_them() -> None:
        states = InstallStates(RING, clock=FakeClock(MOMENT))
        state = await states.async_issue()
        at = chance.randrange(len(state))
        changed = state[:at] + (noise or "A") + state[at + 1 :]
        for wrong in {noise, changed, state + noise, noise + state, state[:at]} - {state}:
            assert not await states.async_consume(wrong)
        assert await states.async_consume(state)

    anyio.run(try_them)


def test_a_state_lives_as_long_as_slacks_code() -> None:
    assert timedelta(minutes=10) == LIVES_FOR


BACK = "https://bot.example.com/slack/oauth_redirect"


@pytest.fixture
async def slack() -> AsyncIterator[SlackStub]:
    async with running_slack_stub() as stub:
        yield stub


async def exchanged(
    slack: SlackStub, code: str = CODE, secret: str = CLIENT_SECRET
) -> Installation:
    settings = AsyncOAuthSettings(client_id=CLIENT_ID, client_secret=secret, redirect_uri=BACK)
    async with aiohttp.ClientSession() as http:
        client = AsyncWebClient(base_url=slack.url, session=http, retry_handlers=[])
        return await exchange_code(client, settings, code, MOMENT)


async def test_a_code_gives_what_was_installed(slack: SlackStub) -> None:
    slack.answer["authed_user"] = {"id": "U1", "access_token": "xoxp-private", "scope": "x"}

    given = await exchanged(slack)

    assert (given.home, given.name) == (WorkspaceId("T1"), "Acme")
    assert (given.scopes, given.installed_by) == (("commands", "chat:write"), "U1")
    assert given.token == "xoxb-given"  # a person's own is left
    assert slack.forms == [{"code": CODE, "redirect_uri": BACK}]
    assert "xoxb" not in repr(given)


@loop_over(
    "change",
    [
        *({name: None} for name in ("app_id", "access_token", "bot_user_id", "scope", "team")),
        {"team": {}},
        {"team": {"id": 7}},
        {"team": "T1"},
        {"enterprise": {"name": "no id"}},
        {"is_enterprise_install": True},
        {"authed_user": None},
    ],
    ids=str,
)
async def test_an_incomplete_answer_is_refused(slack: SlackStub, change: dict[str, Any]) -> None:
    slack.answer, slack.codes = ANSWER | change, [CODE]

    with pytest.raises(SlackUnavailableError):
        await exchanged(slack)


async def test_refusals_keep_codes(slack: SlackStub) -> None:
    with pytest.raises(SlackRefusedError, match="invalid_code"):
        await exchanged(slack, code="other")
    with pytest.raises(SlackRefusedError, match="bad_client_secret"):
        await exchanged(slack, secret="wrong")


MOVED = WorkspaceId("T1", "E1")


async def save(documents: Documents, made: Installation) -> NewInstallation:
    """Save an installation as Bolt's flow does."""
    new = NewInstallation(made)
    await InstallationStore(a_memory(documents, FakeClock().seconds)).async_save(new)
    return new


@pytest.fixture
def documents() -> EventfulDocuments:
    return EventfulDocuments()


async def test_a_new_installation_replaces_a_revoked_one(documents: EventfulDocuments) -> None:
    revoked = a_revoked_installation()
    await a_repository(documents).put(revoked)
    anew = an_installation(token="xoxb-new", scopes=("commands",))

    saved = await save(documents, anew)

    assert saved.before == revoked
    now = await kept(documents)
    assert now == anew
    check_at = anew.installed_at + CHECKED_EVERY
    assert await documents.due_keys(check_at) == [f"{ONE}/installation"]


async def test_a_workspace_keeps_its_identity(documents: EventfulDocuments) -> None:
    await a_repository(documents).put(an_installation(ONE, "xoxb-old"))

    saved = await save(documents, an_installation(MOVED, "xoxb-new"))

    assert saved.installation.home == ONE
    assert (await kept(documents)).token == saved.installation.token
    assert await a_repository(documents).get(MOVED) is None


async def test_installing_again_repairs_sealed_tokens(documents: EventfulDocuments) -> None:
    lost = InstallationRepository(documents, KeyRing({"lost": b"2" * 32}))
    await lost.put(an_installation(ONE, "xoxb-lost"))

    saved = await save(documents, an_installation(MOVED))

    assert saved.before is None
    assert await kept(documents) == replace(saved.installation, home=ONE)


async def test_a_change_at_the_same_moment_is_looked_at_again() -> None:
    class Busy(MemoryDocuments):
        meddles = 2

        async def get(self, key: str):  # type: ignore[no-untyped-def]  # as the base
            found = await super().get(key)
            if self.meddles:
                self.meddles -= 1
                await super().put(key, a_value)
            return found

    seed = MemoryDocuments()
    await a_repository(seed).put(an_installation(token="xoxb-meddled"))
    [document] = await seed.list_prefix("")
    a_value, documents = document.value, Busy()

    await save(documents, an_installation())

    assert await kept(documents) == an_installation()
