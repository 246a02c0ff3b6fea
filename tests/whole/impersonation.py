"""Somebody of one workspace who holds every id of another: every button, menu and form of it."""

import copy
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from bot.dispatch.commands import COMMANDS
from bot.playground.slack import LocalSlack, Message, Person, View, payloads
from bot.playground.slack.block_contents import Found, elements
from tests.whole.digests import make, open_list, press_in
from tests.whole.harness import Harness

Json = dict[str, Any]


async def use_everything(app: Harness) -> list[Json]:
    """Let an admin use everything in a workspace; return what each thing they saw would send.

    Its ids are as they are; of what the workspace knows, `marks(harness)`, nothing is in it.
    """
    seen: list[Json] = []

    async def look() -> None:
        seen.extend(_sendable(app.slack, app.ada))

    # One adds, the other opens a form at once: its digest is made and changed below.
    others = {"/adddomain", "/domaindigest"}
    looking = [each for each in COMMANDS.values() if each.name not in others]
    for each in looking:
        host = f"shop.{app.portfolio}.example"
        await app.ask(app.ada, each.examples[0][0].replace("example.com", host))
        await look()
    await make(app, {"Filter": f"tag:{app.portfolio}"})
    form = await open_list(app, app.ada)
    await look()
    await press_in(app.ada, form, "Change")
    await look()
    await app.ada.by_id.open_home()
    await look()
    text = json.dumps(seen)
    for mark in marks(app):
        text = text.replace(mark, "…")
    return list(json.loads(text))


def marks(app: Harness) -> list[str]:
    """Return what only this workspace knows."""
    return [f"{app.portfolio}-folder", f"tag:{app.portfolio}", app.key[-4:]]


def _sendable(slack: LocalSlack, person: Person) -> Iterator[Json]:
    world = slack.world
    messages: list[Message | View] = [
        message
        for channel in world.workspace.channels.values()
        for message in channel.messages
        if message.is_for(person.id)
    ]
    views = [*world.stacks.of(person.id), *filter(None, [world.stacks.homes.get(person.id)])]
    for where in [*messages, *views]:
        for found in elements(where.blocks):
            if (done := _done(found)) is not None:
                payload = payloads.block_actions(world, person.member, where, found, done)
                yield copy.deepcopy(payload)
    for view in views:
        if view.payload["type"] == "modal" and view.payload.get("submit"):
            yield copy.deepcopy(payloads.view_submission(world, person.member, view))


def _done(found: Found) -> Json | None:
    """Return what using an element sends of it, `None` for what only the form sends."""
    if found.block["type"] == "input" and not found.block.get("dispatch_action"):
        return None
    kind, options = found.element["type"], found.element.get("options") or []
    if kind == "button":
        return {}
    if options and kind == "static_select":
        return {"selected_option": options[-1]}
    return None


async def send_as(slack: LocalSlack, person: Person, payload: Json) -> int:
    """Send what belongs to another workspace as if it were this person's own."""
    world, channel = slack.world, slack.world.workspace.channel_named("general")
    assert channel is not None
    mine = {
        **payload,
        "user": {**payload["user"], "id": person.id, "team_id": slack.team_id},
        "team": {"id": slack.team_id, "domain": world.workspace.domain},
        "trigger_id": world.triggers.give(person.id, channel.id, None),
    }
    if "response_url" in payload:
        mine["response_url"] = world.response_urls.give(person.id, channel.id)
    if view := payload.get("view"):
        mine["view"] = {
            **view,
            "team_id": slack.team_id,
            "app_installed_team_id": slack.team_id,
        }
    body = urlencode({"payload": json.dumps(mine)}).encode()
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    status, _ = await slack.raw_post(body, {**slack.sign(body), **form})
    return status
