"""A tiny real Bolt app, joined to the local Slack in either mode: what Bolt accepts is right."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.slack import LocalSlack


def bolt_app(slack: LocalSlack) -> AsyncApp:
    """Return an app without listeners that talks to the local Slack."""
    client = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url)
    return AsyncApp(
        name="tiny",  # else Bolt 1.30 looks for one in the sources of all callers: slow
        client=client,
        signing_secret=slack.signing_secret,
        process_before_response=True,
    )


@asynccontextmanager
async def by_http(app: AsyncApp, slack: LocalSlack) -> AsyncIterator[None]:
    runner = web.AppRunner(app.server(port=0, path="/slack/events").web_app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        slack.deliver_to(f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events")
        yield
    finally:
        await runner.cleanup()
