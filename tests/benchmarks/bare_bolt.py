"""The bare Bolt app that Bolt's documentation shows, as a process to measure the bot beside.

https://docs.slack.dev/tools/bolt-python/concepts/commands: one listener that acknowledges and
responds with one line. `/acked` only acknowledges.

    python -m tests.benchmarks.bare_bolt <port> <Slack's address>
"""

import logging
import sys
from typing import Any

from aiohttp import web
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.web.async_client import AsyncWebClient

from tests.benchmarks.quick_slack import BOT_USER_ID, SIGNING_SECRET, TEAM_ID


async def authorize(**_asked: Any) -> AuthorizeResult:
    """Spare it the `auth.test` of each request, as the bot spares itself."""
    return AuthorizeResult(
        enterprise_id=None, team_id=TEAM_ID, bot_user_id=BOT_USER_ID, bot_token="xoxb-bare"
    )


async def acknowledge(ack: Any) -> None:
    await ack()


async def respond_with_a_line(ack: Any, respond: Any, command: Any) -> None:
    await ack()
    await respond(f"{command['text']}")


def main() -> None:
    logging.disable(logging.INFO)
    app = AsyncApp(
        name="bare",
        signing_secret=SIGNING_SECRET,
        client=AsyncWebClient(base_url=sys.argv[2]),
        authorize=authorize,
    )
    app.command("/acked")(acknowledge)
    app.command("/domains")(respond_with_a_line)
    served = app.server(port=int(sys.argv[1]), path="/slack/events", host="127.0.0.1")
    web.run_app(served.web_app, host="127.0.0.1", port=int(sys.argv[1]), print=lambda _line: None)


if __name__ == "__main__":
    main()
