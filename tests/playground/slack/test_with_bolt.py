"""The oracle: whatever the local Slack sends and takes, the real Bolt understands, both ways."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from slack_bolt.async_app import AsyncApp

from bot.playground.slack import LocalSlack, running_slack
from tests.fakes import TIME_LIMIT_S
from tests.playground.slack.bolt import bolt_app, by_socket, serving
from tests.playground.slack.samples import actions, button, field, form, options, text_field

pytestmark = pytest.mark.anyio
Json = dict[str, Any]

DOMAIN = field("Domain", {"type": "external_select", "min_query_length": 2})
FORM = form(text_field("Name", max_length=10), DOMAIN, callback_id="form")


async def answer_command(ack: Any, respond: Any, command: Json) -> None:
    await ack()
    row = actions(button("Scan", value="example.com"), button("Open"))
    await respond(text=f"heard {command['text']}", blocks=[row])


async def answer_in_ack(ack: Any) -> None:
    await ack("usage: /scan example.com")


async def answer_press(ack: Any, respond: Any, action: Json) -> None:
    await ack()
    await respond(text=f"scanned {action['value']}", replace_original=True)


async def open_form(ack: Any, client: Any, body: Json) -> None:
    await ack()
    await client.views_open(trigger_id=body["trigger_id"], view=FORM)


async def suggest(ack: Any, payload: Json) -> None:
    known = options("example.com", "example.org", "shop.example")
    await ack(options=[one for one in known if one["value"].startswith(payload["value"])])


async def take_form(ack: Any, client: Any, view: Json, body: Json) -> None:
    values = view["state"]["values"]
    if values["name"]["typed"]["value"] == "wrong":
        await ack(response_action="errors", errors={"name": "not that one"})
        return
    await ack()
    opened = await client.conversations_open(users=body["user"]["id"])
    picked = values["domain"]["typed"]["selected_option"]["value"]
    await client.chat_postMessage(channel=opened["channel"]["id"], text=f"took {picked}")


def answering(app: AsyncApp) -> AsyncApp:
    app.command("/domains")(answer_command)
    app.command("/scan")(answer_in_ack)
    app.action("scan")(answer_press)
    app.action("open")(open_form)
    app.options("typed")(suggest)
    app.view("form")(take_form)
    return app


@pytest.fixture(params=["socket", "http"])
async def slack(request: pytest.FixtureRequest) -> AsyncIterator[LocalSlack]:
    async with (
        running_slack(answers_within_s=TIME_LIMIT_S) as slack,
        serving(answering(bolt_app(slack)), slack, request.param),
    ):
        yield slack


async def test_a_command_is_answered_to_its_person_only(slack: LocalSlack) -> None:
    bob = slack.person("bob")

    delivery = await bob.type("/domains below:70 & more")

    message = await bob.next_message()
    assert (message.text, message.is_ephemeral) == ("heard below:70 &amp; more", True)
    assert slack.person("ada").messages() == []
    assert (delivery.status, delivery.problem) == (200, None)
    assert delivery.ack_s is not None


async def test_an_ack_can_itself_be_the_reply(slack: LocalSlack) -> None:
    await slack.person("bob").type("/scan")

    assert (await slack.person("bob").next_message()).text == "usage: /scan example.com"


async def test_a_pressed_button_replaces_the_message_it_sits_on(slack: LocalSlack) -> None:
    bob = slack.person("bob")
    await bob.type("/domains")

    await bob.press(await bob.next_message(), "Scan")

    assert (await bob.next_message()).text == "scanned example.com"
    assert len(bob.messages()) == 1


async def test_a_form_is_filled_in_with_the_bots_own_suggestions(slack: LocalSlack) -> None:
    ada = slack.person("ada")
    await ada.type("/domains", channel="random")
    await ada.press(await ada.next_message("random"), "Open")
    view = await ada.next_form()

    assert await ada.suggest(view, "Domain", "exa") == ["example.com", "example.org"]
    await ada.submit(view, {"Name": "right", "Domain": "shop.example"})

    assert (await ada.next_message("dm")).text == "took shop.example"
    assert ada.form is None


async def test_a_refused_form_stays_open_with_its_error(slack: LocalSlack) -> None:
    ada = slack.person("ada")
    await ada.type("/domains")
    await ada.press(await ada.next_message(), "Open")
    view = await ada.next_form()

    delivery = await ada.submit(view, {"Name": "wrong", "Domain": "example.com"})

    assert delivery.errors == {"Name": "not that one"}
    assert (await ada.next_form()).values == {"Name": "wrong", "Domain": "example.com"}


async def test_bolt_turns_a_wrong_signature_away() -> None:
    async with (
        running_slack(answers_within_s=TIME_LIMIT_S) as slack,
        serving(bolt_app(slack), slack, "http"),
    ):
        headers = slack.sign(b"command=/scan") | {"Content-Type": "text/plain"}

        status, _ = await slack.raw_post(b"command=/domains", headers)

    assert status == 401


async def test_payloads_go_to_one_of_several_links_in_turn() -> None:
    heard: list[str] = []

    def naming(slack: LocalSlack, name: str) -> AsyncApp:
        async def listen(ack: Any) -> None:
            heard.append(name)
            await ack()

        app = bolt_app(slack)
        app.command("/scan")(listen)
        return app

    async with (
        running_slack(answers_within_s=TIME_LIMIT_S) as slack,
        by_socket(naming(slack, "one"), slack),
        by_socket(naming(slack, "two"), slack),
    ):
        for _ in range(4):
            await slack.person("bob").type("/scan")

    assert sorted(heard) == ["one", "one", "two", "two"]


async def test_a_refreshed_link_is_renewed_and_goes_on() -> None:
    async with (
        running_slack(answers_within_s=TIME_LIMIT_S) as slack,
        by_socket(answering(bolt_app(slack)), slack),
    ):
        await slack.sockets.refresh()
        await slack.connected()

        await slack.person("bob").type("/scan")

    assert [call.method for call in slack.calls].count("apps.connections.open") == 2
