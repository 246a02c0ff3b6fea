"""Blocks and forms that tests send, and a bot that answers by script."""

import asyncio
from typing import Any

from bot.playground.slack.delivery import Delivery

Json = dict[str, Any]


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def section(text: str, **more: Any) -> Json:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}, **more}


def button(text: str, **more: Any) -> Json:
    return {"type": "button", "action_id": text.lower(), "text": plain(text), **more}


def actions(*elements: Json) -> Json:
    return {"type": "actions", "elements": list(elements)}


def field(label: str, element: Json, **more: Any) -> Json:
    element = {"action_id": "typed", **element}
    named = {"block_id": label.lower(), "label": plain(label)}
    return {"type": "input", **named, "element": element, **more}


def text_field(label: str, *, optional: bool = False, **limits: Any) -> Json:
    return field(label, {"type": "plain_text_input", **limits}, optional=optional)


def options(*words: str) -> list[Json]:
    return [{"text": plain(word), "value": word.lower()} for word in words]


def form(*blocks: Json, **more: Any) -> Json:
    frame = {"type": "modal", "title": plain("A form"), "submit": plain("Send")}
    return {**frame, "blocks": list(blocks) or [section("Hello")], **more}


def home(*blocks: Json) -> Json:
    return {"type": "home", "blocks": list(blocks)}


class ScriptedBot:
    """A carrier that acks with the next body of its script, then with nothing; 404 fails."""

    def __init__(self, *bodies: Any) -> None:
        self._bodies = list(bodies)
        self.got: list[Delivery] = []

    async def carry(self, delivery: Delivery) -> tuple[int, Any]:
        self.got.append(delivery)
        body = self._bodies.pop(0) if self._bodies else None
        if body == "silence":
            await asyncio.Event().wait()
        return (404, None) if body == 404 else (200, body)
