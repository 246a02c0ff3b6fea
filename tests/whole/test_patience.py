"""No one is left without a word: slow answers, replies that stay, a store that is gone."""

import pytest

from tests.whole.harness import Harness, lose_store

pytestmark = pytest.mark.transports("socket")


@pytest.mark.transports("http")
async def test_an_answer_comes_where_slack_replaces_none(ready: Harness) -> None:
    # https://github.com/slackapi/bolt-python/issues/1268
    ready.slack.world.response_urls.commands_replace_their_reply = False

    answer = await ready.ask(ready.bob, "/scan shop.example")

    assert "Scan of shop.example" in answer.everything


@pytest.mark.transports("http")
async def test_a_failed_first_message_does_not_stop_the_scan(ready: Harness) -> None:
    await ready.ask(ready.bob, "/domains")
    for method in ("response_url", "chat.postEphemeral", "conversations.open"):
        ready.slack.fail_next(method, kind="html")

    answer = await ready.ask(ready.bob, "/scan shop.example")

    assert "Scan of shop.example" in answer.everything


async def test_a_long_wait_that_slack_asks_for_is_said_and_not_slept_out(ready: Harness) -> None:
    ready.slack.fail_next("users.info", retry_after_s=1800, times=100)

    answer = await ready.ask(ready.ada, "/domainkey")

    assert "Slack limits the app's requests for now. Try again in 30 minutes" in answer.everything


@pytest.mark.transports("socket", "shared")
async def test_a_lost_store_is_admitted_and_nothing_called_saved(ready: Harness) -> None:
    await lose_store(ready)
    key = ready.account.create_key("new", scopes=("read_domains",), days=30)

    form = await ready.submit_key(key)

    assert "Not saved" in form.everything
    assert "The app's database" in form.everything
