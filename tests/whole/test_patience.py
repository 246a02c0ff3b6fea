"""Nobody is left without a word: slow answers, replies that stay, a store that is gone."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.whole.town import PATIENT, Town, lose_store, running_town

pytestmark = [pytest.mark.anyio, pytest.mark.modes("socket")]


async def test_a_slow_list_is_mentioned_and_then_answered_in_its_place(
    tmp_path: Path, mode: str
) -> None:
    pace = replace(PATIENT, first_word_after_s=0.05)
    async with running_town(tmp_path, mode, pace) as town:
        town.acme.add("shop.example", health=41)
        await town.connect()
        town.tracker.latency_s = 0.4
        town.clock.ahead += town.clock.ahead.resolution * 61_000_000

        await town.bob.type("/domains")
        first = await town.bob.next_message()
        await town.answer(town.bob)

        assert "Still working" in first.everything
        assert len(town.bob.messages()) == 1


@pytest.mark.modes("shared")
async def test_where_slack_does_not_replace_a_commands_reply_the_answer_still_comes(
    shop: Town,
) -> None:
    # https://github.com/slackapi/bolt-python/issues/1268
    shop.slack.world.response_urls.commands_replace_their_reply = False

    answer = await shop.ask(shop.bob, "/scan shop.example")

    assert "Scan of shop.example" in answer.everything


@pytest.mark.modes("shared")
async def test_a_message_in_between_that_cannot_be_sent_does_not_stop_the_scan(
    shop: Town,
) -> None:
    await shop.ask(shop.bob, "/domains")
    for method in ("response_url", "chat.postEphemeral", "conversations.open"):
        shop.slack.fail_next(method, kind="html")

    answer = await shop.ask(shop.bob, "/scan shop.example")

    assert "Scan of shop.example" in answer.everything


async def test_a_failure_takes_the_place_of_please_wait(shop: Town) -> None:
    shop.tracker.fail_next("500", on="scan")

    await shop.ask(shop.bob, "/scan shop.example")

    assert len(shop.bob.messages()) == 1


async def test_a_long_wait_that_slack_asks_for_is_said_and_not_slept_out(shop: Town) -> None:
    shop.slack.fail_next("users.info", retry_after_s=1800, times=100)

    answer = await shop.ask(shop.ada, "/domainkey")

    assert "Slack limits the app's requests for now. Try again in 30 min" in answer.everything


async def test_before_a_form_no_wait_is_slept_out(shop: Town) -> None:
    shop.slack.fail_next("users.info", retry_after_s=1)
    calls = len(shop.slack.calls)

    await shop.slack.person("cy").type("/scan")

    assert (await shop.slack.person("cy").next_form()).everything
    assert [call.method for call in shop.slack.calls[calls:]] == ["users.info", "views.open"]


@pytest.mark.modes("socket", "shared")
async def test_a_store_that_is_gone_is_admitted_and_nothing_is_said_to_be_saved(
    shop: Town,
) -> None:
    await lose_store(shop)
    key = shop.acme.create_key("new", scopes=("read_domains",), days=30)

    form = await shop.submit_key(key)

    assert "Not saved" in form.everything
    assert "The bot's database" in form.everything
