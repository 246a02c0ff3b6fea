"""Logs keep what is newest."""

import pytest

from bot.playground.slack import LocalSlack
from bot.playground.slack.changes import MAX_KEPT, note
from tests.playground.slack.conftest import Api
from tests.playground.slack.samples import ScriptedBot

pytestmark = pytest.mark.anyio


def test_a_full_log_forgets_its_oldest_entry() -> None:
    log: list[int] = []

    for number in range(5):
        note(log, number, most=3)

    assert log == [2, 3, 4]


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


async def test_calls_and_envelopes_are_numbered_on(slack: LocalSlack, api: Api) -> None:
    slack.outbox.carrier = ScriptedBot()
    for _ in range(3):
        await api("api.test")
        await slack.person("bob").type("/scan")
        slack.calls[:-1], slack.envelopes[:-1] = [], []

    assert slack.calls[0].number == 3
    assert slack.envelopes[0].envelope_id == "envelope-3"
