"""What Slack and the service hold of the people whose store it is: the other side of its ids."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.slack import LocalSlack, Message, View, lifecycle
from bot.playground.slack.installations import Consent
from tests.whole.harness import ABOUT, Harness
from tests.whole.many import Many

Json = dict[str, Any]

HOME = "home"  # the workspace whose token the bot had before it was installed by OAuth
NAMES = ("amber", "birch", "coral", "dune")
IN_ORG = ("delta", "ember", "fjord")
LOOKED_AT = ("home", "amber", "delta")  # in the others the bot has said nothing else


@dataclass(frozen=True)
class Sent:
    """A message of the bot with buttons. `channel` is a name, or `dm`; `who` reads it there."""

    workspace: str
    channel: str
    who: str
    is_ephemeral: bool
    buttons: list[str]
    content: Json


@dataclass(frozen=True)
class Outside:
    """All of it. `at` is the moment at which the last process was killed."""

    at: datetime
    towns: dict[str, Json]
    tokens: dict[str, Json]
    granted: list[str]
    sent: list[Sent]
    homes: dict[str, Json]  # of people in the first workspace

    def to_json(self) -> str:
        """Return it as the text of a file."""
        return json.dumps(asdict(self) | {"at": self.at.isoformat()}, indent=1) + "\n"

    def message(self, workspace: str, channel: str, who: str, buttons: Iterable[str]) -> Sent:
        """Return the newest message that somebody reads there, and that has these buttons."""
        return [
            each
            for each in self.sent
            if (each.workspace, each.channel) == (workspace, channel)
            and (channel != "dm" or each.who == who)
            and {*buttons} <= {*each.buttons}
        ][-1]


def read_outside(path: Path) -> Outside:
    """Return what `Outside.to_json` wrote."""
    held = json.loads(path.read_text())
    sent = [Sent(**each) for each in held.pop("sent")]
    return Outside(at=datetime.fromisoformat(held.pop("at")), sent=sent, **held)


# Looked up when the store is written


def look(many: Many, keys: Iterable[tuple[str, str]], at: datetime) -> Outside:
    """Return what is there now; `keys` are names of workspaces, each with the value of a key."""
    towns = {name: _account(app) for name, app in many.apps.items()}
    for name, value in keys:
        towns[name]["keys"].append(_key(many[name], value))
    return Outside(
        at=at,
        towns=towns,
        tokens=_tokens(many.slack),
        granted=[name for name in IN_ORG if many[name].slack.is_installed],
        sent=[each for name in LOOKED_AT for each in _sent(name, many[name])],
        homes={name: _home(many[HOME], name) for name in ("ada", "bob")},
    )


def _account(app: Harness) -> Json:
    workspace = app.slack.world.workspace
    channels = [each for each in workspace.channels.values() if not each.is_im]
    return {
        "team_id": app.slack.team_id,
        "people": {name: app.slack.person(name).id for name in ("ada", "olga", "bob", "cy")},
        "channels": {each.name: each.id for each in channels},
        "bot_in": [each.name for each in channels if workspace.bot_user_id in each.members],
        "domains": [
            {
                "domain": each.domain,
                "health": each.health,
                "tags": [*each.tags],
                "folder": each.folder,
                "domain_id": each.domain_id,
            }
            for each in app.account.domains.values()
        ],
        "scan_results": app.account.scan_results,
        "keys": [],
    }


def _key(app: Harness, value: str) -> Json:
    record = app.account.key(value)
    assert record.expires_at
    return {
        "value": value,
        "name": record.name,
        "scopes": [*record.scopes],
        "expires_at": record.expires_at.isoformat(),
        "is_deleted": record.is_deleted,
    }


def _tokens(slack: LocalSlack) -> dict[str, Json]:
    """Return the newest tokens by the id of the workspace or organisation."""
    found: dict[str, Json] = {}
    for call in slack.calls:
        if call.method == "oauth.v2.access" and call.answer.get("ok"):
            answer = call.answer
            home = answer["enterprise" if answer["is_enterprise_install"] else "team"]
            lasts_s = answer.get("expires_in")
            found[home["id"]] = {
                "value": answer["access_token"],
                "refresh_token": answer.get("refresh_token"),
                "expires_at": call.at + lasts_s if lasts_s else None,
            }
    return found


def _sent(name: str, app: Harness) -> Iterator[Sent]:
    newest: dict[tuple[str, ...], Sent] = {}
    for person in map(app.slack.person, ("ada", "olga", "bob", "cy")):
        for channel in ("general", "secret", "shared", "random", "dm"):
            if channel == "secret" and person.member.name not in {"ada", "bob"}:
                continue
            for message in person.messages(channel):
                if message.buttons and message.user == app.slack.bot_user_id:
                    sent = _one(name, channel, person.member.name, message)
                    place = (channel, sent.who if channel == "dm" else "", *sent.buttons)
                    newest[place] = sent
    yield from newest.values()


def _one(name: str, channel: str, who: str, message: Message) -> Sent:
    content = {key: value for key, value in message.content.items() if value is not None}
    return Sent(name, channel, who, message.is_ephemeral, message.buttons, content)


def _home(app: Harness, name: str) -> Json:
    home = app.slack.person(name).home
    assert home
    return {"type": "home", "blocks": home.blocks, **_metadata(home.payload)}


def _metadata(payload: Json) -> Json:
    names = ("private_metadata", "callback_id", "external_id")
    return {name: payload[name] for name in names if payload.get(name)}


# Put back before the store is opened


def put_back(many: Many, outside: Outside) -> None:
    """Let Slack and the service be as they were, without an event to the bot."""
    many.clock.ahead = outside.at - datetime.now(UTC)
    for name, held in outside.towns.items():
        app = many[name]
        _require_same_ids(app, held)
        _put_into_service(app, held)
        if held["team_id"] in outside.tokens and name != "dune":
            _install(many.slack, held["team_id"], app.ada.id, outside.tokens[held["team_id"]])
    if many.org:
        _grant(many, outside)
    for name, held in outside.towns.items():
        _put_bot_into_channels(many[name], held["bot_in"])
    coral = many.slack.app.installations.at(many["coral"].slack.team_id)
    assert coral
    many.slack.app.tokens.revoke_all(coral, "token_revoked")


def _require_same_ids(app: Harness, held: Json) -> None:
    now = _account(app)
    for what in ("team_id", "people", "channels"):
        assert now[what] == held[what], "the local Slack gives other ids than it did for 0.1"


def _put_into_service(app: Harness, held: Json) -> None:
    for domain in held["domains"]:
        app.account.add(domain.pop("domain"), **domain)
    app.account.scan_results.update(held["scan_results"])
    for key in held["keys"]:
        value = app.account.create_key(key["name"], key["scopes"], value=key["value"])
        record = app.account.key(value)
        record.expires_at = datetime.fromisoformat(key["expires_at"])
        if key["is_deleted"]:
            app.account.delete_key(value)
        else:
            app.key = value


def _install(
    slack: LocalSlack, home_id: str, by: str, token: Json, *, is_org_wide: bool = False
) -> None:
    consent = Consent(home_id, is_org_wide, by, tuple(ABOUT.scopes), None, 0)
    installation, _ = lifecycle.install(slack.universe, consent)
    slack.app.tokens.restore(
        installation,
        token["value"],
        expires_at=token["expires_at"],
        refresh_token=token["refresh_token"],
    )


def _grant(many: Many, outside: Outside) -> None:
    assert many.org
    olga = many["delta"].slack.person("olga").id
    _install(many.slack, many.org.id, olga, outside.tokens[many.org.id], is_org_wide=True)
    installation = many.slack.app.installations.at(many.org.id)
    assert installation
    for name in outside.granted:
        lifecycle.grant(installation, many[name].slack.world)


def _put_bot_into_channels(app: Harness, names: list[str]) -> None:
    workspace = app.slack.world.workspace
    for channel in workspace.channels.values():
        if not channel.is_im and channel.name not in names:
            channel.members.discard(workspace.bot_user_id)
    for name in names:
        app.slack.invite_bot(name)


async def send_again(app: Harness, sent: Sent) -> Message:
    """Let a message of the bot stand where it stood, with its buttons; return it."""
    client = AsyncWebClient(base_url=app.slack.api_url, token=app.slack.bot_token)
    person, workspace = app.slack.person(sent.who), app.slack.world.workspace
    place = workspace.channel_named(sent.channel) or workspace.direct_message(person.member)
    content = {"channel": place.id, **sent.content}
    if sent.is_ephemeral:
        answer = await client.chat_postEphemeral(**content, user=person.id)
        ts = answer["message_ts"]
    else:
        answer = await client.chat_postMessage(**content)
        ts = answer["ts"]
    return next(each for each in person.messages(sent.channel) if each.ts == ts)


async def show_home_again(app: Harness, name: str, view: Json) -> View:
    """Let somebody's Home tab be as the bot had drawn it; return it."""
    client = AsyncWebClient(base_url=app.slack.api_url, token=app.slack.bot_token)
    person = app.slack.person(name)
    await client.views_publish(user_id=person.id, view=view)
    assert person.home
    return person.home
