"""The bare Bolt app that Bolt's documentation shows, as a process to measure the bot beside.

https://docs.slack.dev/tools/bolt-python/concepts/commands: one listener that acknowledges and
responds, `/line` with one line, as a newcomer would, `/table` with the bot's own answer to
`/domains`, which is read once. `/acked` only acknowledges.

    python -m tests.benchmarks.bare_bolt <port> <Slack's address> <file with the answer as JSON>
"""

import json
import logging
import sys
from pathlib import Path
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
    answer = json.loads(Path(sys.argv[3]).read_text())

    async def respond_with_the_table(ack: Any, respond: Any) -> None:
        await ack()
        await respond(**answer)

    app = AsyncApp(
        name="bare",
        signing_secret=SIGNING_SECRET,
        client=AsyncWebClient(base_url=sys.argv[2]),
        authorize=authorize,
    )
    app.command("/acked")(acknowledge)
    app.command("/line")(respond_with_a_line)
    app.command("/table")(respond_with_the_table)
    served = app.server(port=int(sys.argv[1]), path="/slack/events", host="127.0.0.1")
    web.run_app(served.web_app, host="127.0.0.1", port=int(sys.argv[1]), print=lambda _line: None)


if __name__ == "__main__":
    main()
