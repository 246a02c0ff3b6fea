"""Logs keep what is newest."""

import pytest

from bot.playground.slack import LocalSlack
from bot.playground.slack.changes import MAX_KEPT
from tests.playground.slack.conftest import Api
from tests.playground.slack.samples import ScriptedBot

pytestmark = pytest.mark.anyio


async def test_calls_and_payloads_are_logged_up_to_20000(slack: LocalSlack, api: Api) -> None:
    slack.outbox.carrier = ScriptedBot()
    await api("auth.test")
    await slack.person("bob").type("/scan")
    slack.calls.extend(slack.calls * MAX_KEPT)
    slack.envelopes.extend(slack.envelopes * MAX_KEPT)

    await api("api.test")
    await slack.person("ada").type("/domains")

    assert (len(slack.calls), len(slack.envelopes)) == (20_000, 20_000)
    assert slack.calls[-1].method == "api.test"
    assert slack.envelopes[-1].payload["command"] == "/domains"
