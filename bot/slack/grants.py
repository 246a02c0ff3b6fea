"""Whose the bot's token is, and what it may do there."""

from dataclasses import dataclass

from slack_sdk.web.async_client import AsyncWebClient

from bot.slack.calls import slack_errors

# Slack names what was granted with every answer of its Web API:
# https://docs.slack.dev/authentication/installing-with-oauth
GRANTED_HEADER = "x-oauth-scopes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A workspace, and the scopes that it granted; `None`: Slack did not say which."""

    team_id: str
    team_name: str
    scopes: frozenset[str] | None


async def fetch_grant(client: AsyncWebClient) -> Grant:
    """Return what `auth.test` says of the client's token; raise SlackError."""
    async with slack_errors():
        answer = await client.auth_test()
        headers = {name.lower(): value for name, value in answer.headers.items()}
    granted = headers.get(GRANTED_HEADER)
    return Grant(
        team_id=str(answer.get("team_id") or ""),
        team_name=str(answer.get("team") or ""),
        scopes=None if granted is None else frozenset(map(str.strip, granted.split(","))),
    )
